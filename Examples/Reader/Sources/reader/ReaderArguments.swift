import Foundation
import TidelineClient

/// The options of the command line.
struct ReaderArguments {
    var configurationId: String
    var configuration: ClientConfiguration

    static let usage = """
        usage: reader --server URL --configuration ID --reader NAME [--device NAME] [--directory FOLDER]
                      [--settings FILE]

        --server         such as http://127.0.0.1:8080
        --configuration  whose timeline is read
        --reader         who reads; positions are kept by this name
        --device         this device; a name by chance if it is left out
        --directory      for the cache and the journal; ~/.tideline-reader if it is left out
        --settings       a property list with PositionPersistence, Performance and Debug

        TIDELINE_TOKEN in the environment is the token that the server wants.
        """

    init(_ words: [String], environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        var values: [String: String] = [:]
        var rest = words[...]
        while let name = rest.popFirst() {
            guard Self.names.contains(name) else { throw ArgumentProblem("\(name) is no option") }
            guard let value = rest.popFirst() else { throw ArgumentProblem("\(name) needs a value") }
            guard values.updateValue(value, forKey: name) == nil else { throw ArgumentProblem("\(name) stands twice") }
        }
        func required(_ name: String) throws -> String {
            guard let value = values[name] else { throw ArgumentProblem("\(name) is missing") }
            return value
        }
        guard let server = URL(string: try required("--server")) else {
            throw ArgumentProblem("--server must be an address such as http://127.0.0.1:8080")
        }
        configurationId = try required("--configuration")
        let home = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".tideline-reader")
        configuration = ClientConfiguration(
            baseURL: server, token: environment["TIDELINE_TOKEN"].map { BearerToken($0) },
            readerId: try required("--reader"), deviceId: values["--device"],
            directory: values["--directory"].map { URL(filePath: $0) } ?? home)
        if let file = values["--settings"] {
            configuration.settings = try ClientSettings(propertyListAt: URL(filePath: file))
        }
        configuration.log = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
    }

    private static let names = [
        "--server", "--configuration", "--reader", "--device", "--directory", "--settings",
    ]
}

/// A mistake in the command line.
struct ArgumentProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
