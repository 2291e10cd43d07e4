/// Which names an option or flag has.
package struct NameSpecification: ExpressibleByArrayLiteral, Equatable, Sendable {
    package enum Element: Equatable, Sendable {
        /// The property's name with hyphens: `--until-caught-up`.
        case long
        case customLong(String)
        /// The first letter of the property's name: `-u`.
        case short
        case customShort(Character)
    }

    let elements: [Element]

    package init(arrayLiteral elements: Element...) {
        self.elements = elements
    }

    package static let long: NameSpecification = [.long]
    package static let shortAndLong: NameSpecification = [.short, .long]

    package static func customLong(_ name: String) -> NameSpecification {
        [.customLong(name)]
    }

    package static func customShort(_ name: Character) -> NameSpecification {
        [.customShort(name)]
    }

    /// The names as they are typed, the short ones first.
    func names(for property: String) -> [String] {
        let names = elements.map { element in
            switch element {
            case .long: "--\(property.hyphenated)"
            case .customLong(let name): "--\(name)"
            case .short: "-\(property.prefix(1))"
            case .customShort(let name): "-\(name)"
            }
        }
        return names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") }
    }
}

extension String {
    /// `untilCaughtUp` and `UntilCaughtUp` as `until-caught-up`, `configurationID` as `configuration-id`.
    var hyphenated: String {
        var result = ""
        var followsCapital = true
        for character in self {
            if character.isUppercase, !followsCapital { result.append("-") }
            result += character.lowercased()
            followsCapital = character.isUppercase
        }
        return result
    }
}
