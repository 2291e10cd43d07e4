/// Says what happens, in messages with structured metadata.
///
/// A value: setting its level or metadata changes this copy alone. May be used from any thread.
package struct Logger: Sendable {
    /// Names the part of the program that speaks.
    package let label: String

    /// The handler that writes the records.
    package var handler: any LogHandler

    /// Makes a logger whose handler `factory` makes for the label.
    package init(label: String, factory: (String) -> any LogHandler) {
        self.init(label: label, handler: factory(label))
    }

    package init(label: String, handler: any LogHandler) {
        self.label = label
        self.handler = handler
    }

    /// Records below this level are dropped, and their messages never made.
    package var logLevel: Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    /// A value that goes with every record of this logger. `nil` removes it.
    package subscript(metadataKey key: String) -> MetadataValue? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    /// Hands one record to the handler, unless `level` is below ``logLevel``.
    ///
    /// - Parameter metadata: Goes with this record alone and wins over the logger's own of the same key.
    package func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil
    ) {
        guard level >= logLevel else { return }
        handler.log(level: level, message: message(), metadata: metadata())
    }
}

extension Logger {
    /// The text of a record. Made from a string literal, interpolated or not.
    package struct Message: ExpressibleByStringInterpolation, CustomStringConvertible, Equatable, Sendable {
        package let description: String

        package init(stringLiteral value: String) {
            description = value
        }
    }
}

extension Logger {
    /// A step that only someone who follows the code wants to see.
    package func trace(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .trace, message(), metadata: metadata())
    }

    /// A fact that helps to find a fault.
    package func debug(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .debug, message(), metadata: metadata())
    }

    /// What a quiet day looks like.
    package func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .info, message(), metadata: metadata())
    }

    /// Rare, but in order.
    package func notice(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .notice, message(), metadata: metadata())
    }

    /// Something is not in order, and the program copes with it.
    package func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .warning, message(), metadata: metadata())
    }

    /// Something asked for was not done.
    package func error(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .error, message(), metadata: metadata())
    }

    /// The process cannot do its work; somebody has to look now.
    package func critical(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .critical, message(), metadata: metadata())
    }
}

extension Logger {
    /// The weight of a record. Ascends from `trace` to `critical`.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        case trace
        case debug
        case info
        case notice
        case warning
        case error
        case critical

        package static func < (left: Self, right: Self) -> Bool {
            left.severity < right.severity
        }

        private var severity: Int {
            switch self {
            case .trace: 0
            case .debug: 1
            case .info: 2
            case .notice: 3
            case .warning: 4
            case .error: 5
            case .critical: 6
            }
        }
    }
}
