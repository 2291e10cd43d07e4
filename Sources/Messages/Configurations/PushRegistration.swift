/// The `push` of a configuration (M5): the address at which WidgetKit takes pushes for its widget.
///
/// The pipeline ignores it: a registration that cannot be used makes no configuration unusable.
package struct PushRegistration: Hashable, Sendable {
    static let fieldName: StaticString = "push"

    /// The token as hexadecimal digits in lower case. It is secret: whoever has it and a key of the team can push.
    package var token: String
    /// The bundle identifier of the app, or that with `.push-type.widgets` after it.
    package var topic: String
    package var environment: Environment

    /// The one of Apple's servers that takes the pushes.
    package enum Environment: String, CaseIterable, Sendable {
        case production, sandbox
    }

    package init(token: String, topic: String, environment: Environment = .production) {
        self.token = token
        self.topic = topic
        self.environment = environment
    }

    /// The part of a value of `widget.configurations` that is about pushes.
    package struct Reading: Sendable {
        package var configurationId: String
        /// The registration, or the reason why it cannot be used; `nil` means that the configuration wants no pushes.
        package var push: Result<PushRegistration, MessageProblem>?
    }

    /// Reads the registration of a configuration.
    ///
    /// - Throws: if the value is not a JSON object with a `configurationId`.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> Reading {
        let fields = MessageFields(try parser.object(bytes))
        let configurationId = try fields.requiredIdentifier("configurationId")
        do throws(MessageProblem) {
            let push = try fields.fields("push").map { (push) throws(MessageProblem) in try PushRegistration(push) }
            return Reading(configurationId: configurationId, push: push.map { .success($0) })
        } catch {
            return Reading(configurationId: configurationId, push: .failure(error))
        }
    }

    private init(_ fields: MessageFields) throws(MessageProblem) {
        let token = try fields.require("token", fields.text("token"))
        guard (2...1024).contains(token.utf8.count), token.utf8.count.isMultiple(of: 2),
            token.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            throw .notAllowed(fields.path(to: "token"), "the token in hexadecimal digits, two for each byte")
        }
        let topic = try fields.require("topic", fields.text("topic"))
        guard (1...255).contains(topic.utf8.count), topic.utf8.allSatisfy(Self.isInBundleId) else {
            throw .notAllowed(
                fields.path(to: "topic"),
                "a bundle identifier: letters, digits, hyphens and dots, such as com.example.app")
        }
        self.token = token.lowercased()
        self.topic = topic
        environment = try fields.name("environment", of: Environment.self) ?? .production
    }

    private static func isInBundleId(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
