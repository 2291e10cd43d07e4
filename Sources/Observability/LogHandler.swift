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
