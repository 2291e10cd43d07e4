/// A prefix under which any setting passes through unchecked, such as `kafka` for librdkafka's own properties.
///
/// In the environment, `_` stands for the dot: `TIDELINE_KAFKA_SOCKET_TIMEOUT_MS` is `kafka.socket.timeout.ms`.
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
