import Messages
package import RecordLog
import Timelines

/// The configurations that a topic holds, each with its kind and recipient.
package struct PublishedConfigurations {
    private struct Place {
        var kind: String
        var recipient: String
    }

    private var places: [[UInt8]: Place] = [:]

    private init() {}

    /// Every kind that some configuration has, in order.
    package var kinds: [String] {
        Set(places.values.map(\.kind)).sorted { $0.precedesByUTF8($1) }
    }

    /// The number of configurations of a kind, by recipient.
    package func recipients(of kind: String) -> [String: Int] {
        var counts: [String: Int] = [:]
        for place in places.values where place.kind.isSameByUTF8(as: kind) { counts[place.recipient, default: 0] += 1 }
        return counts
    }

    /// Reads the topic up to its end. Blocks. A record that `process` would set aside is passed over.
    ///
    /// - Returns: the configurations; `nil` if the caller asked to stop first.
    /// - Throws: as `TopicReader.readAll`.
    package static func read(
        topic: String, of cluster: any Cluster, clock: any PacingClock, shouldStop: @escaping () -> Bool = { false },
        progress: (_ records: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(LogError) -> PublishedConfigurations? {
        var published = PublishedConfigurations()
        var parser = JSONParser()
        let isRead = try TopicReader.readAll(
            of: topic, cluster: cluster, clientId: "tideline-produce",
            requests: PatientRequests(clock: clock, shouldStop: shouldStop), patience: .seconds(60),
            progress: progress,
            each: { view, _ in
                guard let key = view.key else { return }
                guard let value = view.value else {
                    published.places[Array(key)] = nil
                    return
                }
                guard let message = try? ConfigurationMessage.decode(ConfluentFraming.skipped(value), with: &parser)
                else { return }
                published.places[Array(key)] = Place(kind: message.kind, recipient: message.recipient)
            })
        return isRead ? published : nil
    }
}
