import Arguments

/// A program to measure beside the pipeline: a name and a command line for the shell.
struct BesideProgram: ExpressibleByArgument, Equatable {
    let name: String
    /// With places for `{bootstrap}`, `{prefix}` and `{application}`.
    let command: String

    init?(argument: String) {
        guard let named = KeyValueArgument(argument: argument),
            !named.value.allSatisfy(\.isWhitespace), !BenchSubject.all.contains(named.key)
        else { return nil }
        name = named.key
        command = named.value
    }

    var defaultValueDescription: String { "\(name)=\(command)" }
    static let allowedDescription: String? =
        "NAME=COMMAND, such as go='gopeer -bootstrap {bootstrap} -app {application}'; the names "
        + BenchSubject.all.joined(separator: ", ") + " are taken"

    /// The command with its places filled.
    func line(bootstrap: String, prefix: String, application: String) -> String {
        var line = command
        for (place, value) in [("{bootstrap}", bootstrap), ("{prefix}", prefix), ("{application}", application)] {
            line = line.replacing(place, with: Self.quoted(value))
        }
        return line
    }

    /// A word of the shell that stands for a text.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-:,/".contains($0)) }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
}
