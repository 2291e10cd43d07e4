/// A value with structure, such as a map of declarations: from a nested part of the file, or from JSON text elsewhere.
///
/// Plain scalars of the file are what they are in JSON (YAML 1.2 §10.2): `100` is a number, `true` a boolean, `null`
/// and nothing at all are null, anything else is a text. What is quoted is a text: `"100"`.
package struct SettingTree: Sendable {
    package indirect enum Content: Sendable {
        case null
        case bool(Bool)
        /// The number as it was written, in JSON's form.
        case number(String)
        case text(String)
        case list([SettingTree])
        /// A map in the order of the source, each key once.
        case map([(key: String, value: SettingTree)])
    }

    package let content: Content
    /// The line in the source, from 1; for a map's value the line of its key.
    package let line: Int

    package init(_ content: Content, line: Int = 1) {
        self.content = content
        self.line = line
    }

    /// Something wrong inside of a tree.
    package struct Problem: Equatable, Sendable {
        /// Keys from the top; of a list's elements their indexes from 0.
        package var path: [String]
        /// The rule that is broken, such as "must be a text".
        package var message: String

        package init(path: [String], _ message: String) {
            self.path = path
            self.message = message
        }
    }

    /// All that is wrong inside of a tree.
    package struct Problems: Error, Equatable, Sendable {
        /// Never empty.
        package let problems: [Problem]

        package init(_ problems: [Problem]) {
            precondition(!problems.isEmpty, "No problem is no error.")
            self.problems = problems
        }
    }

    /// The line of what `path` leads to, or of the last part of the way that is there.
    package func line(at path: some Collection<String>) -> Int {
        guard let step = path.first, let next = child(step) else { return line }
        return next.line(at: path.dropFirst())
    }

    private func child(_ step: String) -> SettingTree? {
        switch content {
        case .map(let pairs): pairs.first { $0.key == step }?.value
        case .list(let elements): Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
        case .null, .bool, .number, .text: nil
        }
    }
}

extension SettingTree: Equatable {
    /// Compares the content; lines do not count.
    package static func == (left: SettingTree, right: SettingTree) -> Bool {
        switch (left.content, right.content) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)), (.text(let left), .text(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        case (.map(let left), .map(let right)): left.elementsEqual(right) { $0.key == $1.key && $0.value == $1.value }
        default: false
        }
    }
}

extension SettingTree: CustomStringConvertible {
    /// The tree as JSON on one line.
    package var description: String {
        switch content {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let text): text
        case .text(let text): Self.quoted(text)
        case .list(let elements): "[\(elements.map(\.description).joined(separator: ","))]"
        case .map(let pairs):
            "{\(pairs.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..."\u{1f}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
