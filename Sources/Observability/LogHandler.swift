package import Foundation

/// Writes one line per record to a ``LogStream``, for people or for machines.
///
/// A record is one line whatever it says: control characters are escaped. Times are RFC 3339 in UTC with milliseconds,
/// metadata is sorted by key.
package struct StreamLogHandler: LogHandler {
    /// The form in which a record is written.
    package enum Format: String, CaseIterable, Sendable {
        /// `2026-11-20T06:25:00.000Z info     committed partition=3 age="1.2 s"`
        case text
        /// `{"time":"…","level":"info","logger":"…","message":"…","metadata":{"partition":3}}`
        case json
    }

    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]

    private let label: String
    private let format: Format
    private let colored: Bool
    private let stream: LogStream
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - colored: Marks levels from `warning` up with ANSI colors. Counts in the text format only.
    ///   - now: The time that records carry. Called on the thread that logs.
    package init(
        label: String, level: Logger.Level = .info, format: Format = .text, colored: Bool = false, stream: LogStream,
        now: @escaping @Sendable () -> Date
    ) {
        self.label = label
        self.logLevel = level
        self.format = format
        self.colored = colored
        self.stream = stream
        self.now = now
    }

    package func log(level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?) {
        let record = LogRecord(
            time: now(), level: level, label: label, message: message.description,
            metadata: self.metadata.merging(metadata ?? [:]) { _, own in own })
        switch format {
        case .text: stream.writeLine(record.text(colored: colored))
        case .json: stream.writeLine(record.json)
        }
    }
}

/// Takes the records of a ``Logger`` and puts them somewhere.
///
/// Behaves as a value: a copy's level and metadata are its own. May be called from any thread, several at once.
package protocol LogHandler: Sendable {
    /// The least level that is wanted.
    var logLevel: Logger.Level { get set }

    /// Goes with every record.
    var metadata: Logger.Metadata { get set }

    /// Takes one record. The logger has checked the level.
    func log(level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?)
}

extension LogHandler {
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}

/// Drops every record.
package struct NoOpLogHandler: LogHandler {
    package var logLevel = Logger.Level.critical
    package var metadata: Logger.Metadata = [:]

    package init() {}

    package func log(level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?) {}
}
