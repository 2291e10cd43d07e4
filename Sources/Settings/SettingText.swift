/// A value as it stands in a source, before it is read as a type.
package enum SettingText: Equatable, Sendable {
    /// A flag's or variable's value, or a scalar of the file.
    case text(String)
    /// A list of scalars of the file.
    case list([String])
    /// What stands in the file under a key whose type is a tree.
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
