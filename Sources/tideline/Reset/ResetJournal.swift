import Foundation
import Pipeline
import RecordLog
import StreamRuntime

/// What a reset is about to do, kept in the topic `ID.reset` while it is under way, so that one that was interrupted is
/// known, and the next one goes on with it.
///
/// The topic has one partition and is compacted. In one transaction, before anything is removed, it gets a record for
/// each revision that goes on, in the form of the changelog, and as the last one the plan. The topic is removed when
/// all is done. While it has a plan, processes refuse to start.
struct ResetJournal: Codable {
    /// *P* as it is to be.
    var partitions: Int32
    /// Who else may have written the outputs.
    var writers: [String]
    /// The settings of both internal topics, by topic and key.
    var settings: [String: [String: String]]
    /// The replicas that both are made with, by topic; the broker's default where there is none. Releases before wrote
    /// nothing of them.
    var replication: [String: Int32]?
    /// The place from which telemetry is read, as `--to` takes it. Releases before wrote nothing of it.
    var place: String?
    /// True if the positions of sinks stay. Releases before wrote nothing of it.
    var keepsSinks: Bool?

    /// No store of the changelog has this key.
    static let key = Array("plan".utf8)

    static func topic(_ own: InternalTopics) -> NewTopic {
        NewTopic(
            name: own.reset, partitions: 1, replication: own.replication,
            settings: [
                .init("cleanup.policy", "compact"), .init("max.message.bytes", String(InternalTopics.recordBytesMax)),
            ])
    }

    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return Array(try encoder.encode(self))
        } catch {
            preconditionFailure("Texts and numbers can be encoded: \(error)")
        }
    }

    /// - Throws: if this release does not know the form.
    init(_ bytes: [UInt8], topic: String) throws(LogError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            throw LogError(.unsupported, name: "UNSUPPORTED", "the plan in \(topic) cannot be read: \(error)")
        }
    }

    init(_ plan: ResetPlan) {
        partitions = plan.partitions
        writers = plan.writers
        settings = plan.settings
        replication = plan.replication
        place = plan.place.description
        keepsSinks = plan.keepsSinks
    }

    /// The command that goes on with such a reset, and does no more than it was to do.
    static func command(keepsSinks: Bool) -> String {
        "tideline reset --execute" + (keepsSinks ? " --application-only" : "")
    }

    // MARK: - A reset that is under way

    /// Refuses to start beside a reset that was begun and has not ended.
    ///
    /// - Throws: with status 70 if there is one, with 69 if that cannot be found out.
    static func refuse(_ environment: Environment, _ admin: any Admin) throws(CommandFailure) {
        let own = InternalTopics(environment.settings)
        guard try environment.describe([own.reset], admin, for: .read)[own.reset] != nil else { return }
        var plan: [UInt8]?
        do throws(StreamFailure) {
            let check = StateCheck(environment.cluster, clientId: "tideline-check", requests: environment.requests)
            try check.readNewest(of: own.reset, partitions: 1) { record, _ in
                if record.key?.elementsEqual(key) == true { plan = record.value.map { Array($0) } }
            }
        } catch {
            throw CommandFailure(.unavailable, error.description)
        }
        guard let plan else { return }
        // What this release cannot read, the one can that wrote it.
        let journal = try? ResetJournal(plan, topic: own.reset)
        let command = command(keepsSinks: journal?.keepsSinks ?? false)
        throw CommandFailure(
            .software,
            "a reset is under way, or was interrupted: its plan is in \(own.reset). Run '\(command)',"
                + " which goes on with it and keeps revisions rising")
    }
}
