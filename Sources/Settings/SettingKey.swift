/// The declaration of one setting: its name, what it may be, what it is when nobody sets it, and what it is for.
///
///     enum Keys {
///         static let commitInterval = SettingKey(
///             "commit.interval", .duration(.seconds(1) ... .seconds(60)), default: .seconds(1),
///             "How often a stream thread commits.")
///     }
///
///     let interval: Duration = settings[Keys.commitInterval]
package struct SettingKey<Value: Sendable>: Sendable {
    /// Dotted, as in a properties file.
    package let name: String
    package let type: SettingType<Value>
    package let defaultValue: Value
    /// Whole sentences.
    package let documentation: String

    /// - Precondition: The default is among what `type` allows, and the name is made of letters, digits, hyphens and
    ///   dots.
    package init(_ name: String, _ type: SettingType<Value>, default defaultValue: Value, _ documentation: String) {
        precondition(Self.isName(name), "\(name) is no name for a setting")
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.documentation = documentation
    }

    private static func isName(_ name: String) -> Bool {
        name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
                    default: false
                    }
                }
        }
    }
}

/// A declared setting of whatever type.
package protocol SettingDeclaration: Sendable {
    var name: String { get }
    var documentation: String { get }
    /// The allowed values in words.
    var allowed: String { get }
    /// The default as it would be written; empty if there is none.
    var defaultText: String { get }
    /// The values it may have where they are few; for completion and suggestions.
    var choices: [String] { get }

    /// True if its values have structure. See ``SettingTree``.
    var isTree: Bool { get }

    /// The default as a value.
    var erasedDefault: any Sendable { get }
    /// The value that `text` stands for and how it is written.
    func parse(_ text: SettingText) throws(SettingRefusal) -> (value: any Sendable, text: String)
}

extension SettingKey: SettingDeclaration {
    package var allowed: String { type.allowed }
    package var choices: [String] { type.choices }
    package var defaultText: String { type.write(defaultValue) }
    package var erasedDefault: any Sendable { defaultValue }

    package var isTree: Bool { type.isTree }

    package func parse(_ text: SettingText) throws(SettingRefusal) -> (value: any Sendable, text: String) {
        let value = try type.read(text)
        return (value, isTree ? text.description : type.write(value))
    }
}

/// A prefix under which any setting passes through unchecked, such as `kafka` for librdkafka's own properties.
///
/// The environment has `_` in place of the dot: `TIDELINE_KAFKA_SOCKET_TIMEOUT_MS` is `kafka.socket.timeout.ms`.
package struct SettingPrefix: Equatable, Sendable {
    /// Without the dot that follows it.
    package let name: String
    /// Whole sentences.
    package let documentation: String

    package init(_ name: String, _ documentation: String) {
        self.name = name
        self.documentation = documentation
    }

    func covers(_ key: String) -> Bool {
        key.hasPrefix("\(name).") && key.utf8.count > name.utf8.count + 1
    }
}
