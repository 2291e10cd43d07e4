/// A problem of an input, and its place. The command line ends with status 65 and this text.
package struct InputProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given; `-` is standard input.
    package var file: String
    /// The line from 1; `nil` means the whole file.
    package var line: Int?
    /// The column in characters (Unicode scalars), from 1; `nil` means the whole line.
    package var column: Int?
    /// The problem and what is allowed.
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

/// The problems of an input, however many: the first ones, and the number of all.
package struct InputProblems: Hashable, Sendable {
    /// The first problems, 50 at most.
    package private(set) var first: [InputProblem] = []
    /// The number of all problems.
    package private(set) var count = 0

    /// The number of problems that are kept.
    package static let kept = 50

    package init(_ problems: [InputProblem] = []) {
        for problem in problems { add(problem) }
    }

    package mutating func add(_ problem: InputProblem) {
        count += 1
        if first.count < Self.kept { first.append(problem) }
    }

    /// A line for each problem that is kept, and one for all others.
    package var lines: [String] {
        first.map(\.description) + (count > first.count ? ["… and \(count - first.count) more"] : [])
    }
}
