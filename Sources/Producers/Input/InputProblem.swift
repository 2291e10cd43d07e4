/// What is wrong with an input, and where. The command line ends with status 65 and this text.
package struct InputProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given; `-` is standard input.
    package var file: String
    /// From 1; nil where the whole file is meant.
    package var line: Int?
    package var reason: String

    package init(file: String, line: Int?, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    package var description: String {
        let name = file == "-" ? "standard input" : file
        return if let line { "\(name):\(line): \(reason)" } else { "\(name): \(reason)" }
    }
}
