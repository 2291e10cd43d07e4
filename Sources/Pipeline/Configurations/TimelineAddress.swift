import Messages
import Timelines

/// The names around a timeline: whose it is and where it goes, of a usable and an unusable configuration alike.
struct TimelineAddress {
    var configurationId: String
    var kind: String
    var family: WidgetFamily
    var recipient: String
    var sinks: [String]?

    init(_ message: ConfigurationMessage) {
        switch message {
        case .usable(let configuration):
            configurationId = configuration.configurationId
            kind = configuration.kind
            family = configuration.family
            recipient = configuration.recipient
            sinks = configuration.sinks
        case .unusable(let configuration):
            configurationId = configuration.configurationId
            kind = configuration.kind
            family = configuration.family
            recipient = configuration.recipient
            sinks = configuration.sinks
        }
    }

    /// Checks the names that stand in keys and headers of outputs, several times over, and cannot be left out there.
    ///
    /// - Throws: if they are so long that an output might not fit (R11).
    func check(_ settings: PipelineSettings) throws(MessageProblem) {
        let names = [configurationId, kind, recipient] + (sinks ?? [])
        let size = names.reduce(0) { $0 + $1.utf8.count }
        let bytesMax = settings.namesBytesMax
        if size <= bytesMax { return }
        throw MessageProblem(
            .tooLarge,
            "configurationId, kind, recipient and sinks have \(size) bytes, at most \(bytesMax) are allowed")
    }
}

extension TimelineAddress {
    /// True if reloads of the two are other reloads: another recipient or another kind.
    func isForOthers(than other: TimelineAddress) -> Bool {
        !recipient.isSameByUTF8(as: other.recipient) || !kind.isSameByUTF8(as: other.kind)
    }
}
