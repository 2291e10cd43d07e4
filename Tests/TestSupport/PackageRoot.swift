package import Foundation

/// The package's own folder, wherever it was cloned to.
package enum PackageRoot {
    package static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// The recorded data that may lie beside the package, in `../shared`.
package enum SharedData {
    private static let folder = PackageRoot.url.deletingLastPathComponent().appending(path: "shared")

    package static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// The file or folder at `path`, `data/calendars` for example; nil where it is not there, which a line then says.
    ///
    /// A test that gets nil returns: what it needs is not part of the package.
    package static func url(_ path: String) -> URL? {
        let url = folder.appending(path: path)
        guard FileManager.default.fileExists(atPath: url.path) else {
            say("not tested: ../shared/\(path) is missing")
            return nil
        }
        return url
    }
}

/// The built `tideline`: the one beside this test bundle, or that of TIDELINE_EXECUTABLE.
package enum TidelineExecutable {
    package static let url: URL = {
        if let path = ProcessInfo.processInfo.environment["TIDELINE_EXECUTABLE"], !path.isEmpty {
            return URL(filePath: path, relativeTo: PackageRoot.url).absoluteURL
        }
        return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "tideline")
    }()
}
