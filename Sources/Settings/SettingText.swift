/// A value as it stands in a source, before it is read as a type.
package enum SettingText: Equatable, Sendable {
    /// A flag's or variable's value, or a scalar of the file.
    case text(String)
    /// A list of scalars of the file.
    case list([String])
}

extension SettingText: CustomStringConvertible {
    /// The text, or the list's with commas between.
    package var description: String {
        switch self {
        case .text(let text): text
        case .list(let texts): texts.joined(separator: ",")
        }
    }
}
