/// What is wrong with an input, and where. The command line ends with status 65 and this text.
package struct InputProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given; `-` is standard input.
    package var file: String
    /// From 1; nil where the whole file is meant.
    package var line: Int?
    /// In characters (Unicode scalars), from 1; nil where the whole line is meant.
    package var column: Int?
    package var reason: String

    package init(file: String, line: Int?, column: Int? = nil, reason: String) {
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
    }

    package var description: String {
        let name = file == "-" ? "standard input" : file
        let place = [line, column].compactMap { $0.map(String.init) }
        return ([name] + place).joined(separator: ":") + ": " + reason
    }
}

/// What is wrong with an input, however much that is: the first ones, and how many there are.
package struct InputProblems: Hashable, Sendable {
    package private(set) var first: [InputProblem] = []
    package private(set) var count = 0

    /// So many are kept.
    package static let kept = 50

    package init(_ problems: [InputProblem] = []) {
        for problem in problems { add(problem) }
    }

    package mutating func add(_ problem: InputProblem) {
        count += 1
        if first.count < Self.kept { first.append(problem) }
    }

    /// One line each, and one for those that are not kept.
    package var lines: [String] {
        first.map(\.description) + (count > first.count ? ["… and \(count - first.count) more"] : [])
    }
}
