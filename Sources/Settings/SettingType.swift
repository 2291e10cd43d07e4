/// The type of a setting: it reads, writes and explains the values.
package struct SettingType<Value: Sendable>: Sendable {
    /// Completes the sentence "allowed is …".
    package let allowed: String
    /// All values, where they are few.
    package let choices: [String]
    /// True if its values have structure: then a file's nested maps are not taken for dotted keys.
    let isTree: Bool
    let read: @Sendable (SettingText) throws(SettingRefusal) -> Value
    let write: @Sendable (Value) -> String

    /// A type of its own: `read` gives `nil` for a text that is not allowed.
    package init(
        allowed: String, choices: [String] = [], read: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) {
        self.init(
            allowed: allowed, choices: choices,
            readAny: { text throws(SettingRefusal) in
                guard case .text(let text) = text, let value = read(text) else { throw .notAllowed }
                return value
            }, write: write)
    }

    private init(
        allowed: String, choices: [String], isTree: Bool = false,
        readAny: @escaping @Sendable (SettingText) throws(SettingRefusal) -> Value,
        write: @escaping @Sendable (Value) -> String
    ) {
        self.allowed = allowed
        self.choices = choices
        self.isTree = isTree
        self.read = readAny
        self.write = write
    }
}

extension SettingType {
    /// A list of such values: in a file a list or one text, elsewhere one text with commas between. May be empty.
    package static func list<Element>(of element: SettingType<Element>) -> Self where Value == [Element] {
        SettingType(
            allowed: "a list, each \(element.allowed)",
            choices: element.choices,
            readAny: { text throws(SettingRefusal) in
                let texts =
                    switch text {
                    case .list(let texts): texts
                    case .text(""): [String]()
                    case .text(let text):
                        text.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmingSpaces }
                    case .tree: throw .notAllowed
                    }
                var values: [Element] = []
                for text in texts { values.append(try element.read(.text(text))) }
                return values
            },
            write: { $0.map(element.write).joined(separator: ",") })
    }

    /// A value or none; none is written as an empty text.
    package static func optional<Wrapped>(_ wrapped: SettingType<Wrapped>) -> Self where Value == Wrapped? {
        SettingType(
            allowed: "\(wrapped.allowed), or empty",
            choices: wrapped.choices,
            readAny: { text throws(SettingRefusal) in text == .text("") ? nil : try wrapped.read(text) },
            write: { $0.map(wrapped.write) ?? "" })
    }

    /// A value with structure: in a file all that is nested under the key, in a flag or variable JSON text. A stronger
    /// source replaces it as a whole. Nothing at all is read as a tree that is null; what `read` makes of that is the
    /// setting's default.
    package static func tree(
        allowed: String, read: @escaping @Sendable (SettingTree) throws(SettingTree.Problems) -> Value
    ) -> Self {
        SettingType(
            allowed: allowed, choices: [], isTree: true,
            readAny: { text throws(SettingRefusal) in
                let tree = try Self.tree(text)
                do throws(SettingTree.Problems) {
                    return try read(tree)
                } catch {
                    throw .inside(error.problems.map { (tree.line(at: $0.path), $0) })
                }
            },
            write: { _ in "" })
    }

    private static func tree(_ text: SettingText) throws(SettingRefusal) -> SettingTree {
        switch text {
        case .tree(let tree): return tree
        case .list: throw .notAllowed
        case .text(let text):
            do throws(YAMLErrors) {
                return try SettingTree(json: text)
            } catch {
                throw .inside(error.errors.map { ($0.line, SettingTree.Problem(path: [], $0.message)) })
            }
        }
    }
}

/// Why a value is not taken.
package enum SettingRefusal: Error {
    /// It is not among what is allowed.
    case notAllowed
    /// The problems inside of a tree, with the lines of its source.
    case inside([(line: Int, problem: SettingTree.Problem)])
}

extension String {
    fileprivate var trimmingSpaces: String {
        let start = self.drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}

/// A value as it stands in a source, before it is read as a type.
package enum SettingText: Equatable, Sendable {
    /// A flag's or variable's value, or a scalar of the file.
    case text(String)
    /// A list of scalars of the file.
    case list([String])
    /// The tree in the file under a key whose type is a tree.
    case tree(SettingTree)
}

extension SettingText: CustomStringConvertible {
    /// The text, the list's with commas between, or the tree as JSON.
    package var description: String {
        switch self {
        case .text(let text): text
        case .list(let texts): texts.joined(separator: ",")
        case .tree(let tree): tree.description
        }
    }
}
