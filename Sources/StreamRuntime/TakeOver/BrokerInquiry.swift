import RecordLog
import StreamCore
import Synchronization

/// Questions that a stream thread asks of brokers without waiting for the answers: one at a time, answered beside the
/// thread. The threads of an application ask in one background, so each question has its time-outs.
final class BrokerInquiry {
    /// The ports that answer. They are used and closed in the background alone, so that one thread owns them; only the
    /// admin serves the stream threads, too.
    final class Ports: @unchecked Sendable {
        let cluster: any Cluster
        let settings: StreamSettings
        /// A read_committed handle of the group: its committed offsets are stable (KIP-447).
        let offsets: any Consumer
        /// A read_uncommitted one: it answers at once with the last committed offset and its claim (R4).
        let claims: any Consumer
        let admin: any Admin

        /// Known of owners that stand still.
        var still = StillOwners()

        /// The group's members as they were seen last, or why not, for all threads.
        private var seen: (at: Duration, members: Result<[GroupMember]?, LogError>)?

        /// - Parameters:
        ///   - now: when it was asked, on the monotonic clock.
        ///   - maxAge: an answer that is not older serves as well. Where a broker is away, each question takes its
        ///     whole time-out, and all threads of a process ask.
        func members(now: Duration, maxAge: Duration) throws(LogError) -> [GroupMember]? {
            if let seen, now - seen.at < maxAge { return try seen.members.get() }
            do throws(LogError) {
                let found = try admin.members(of: settings.applicationId, timeout: settings.answerTimeout)
                seen = (now, .success(found))
                return found
            } catch {
                seen = (now, .failure(error))
                throw error
            }
        }

        init(cluster: any Cluster, settings: StreamSettings, clientId: String) throws(LogError) {
            self.cluster = cluster
            self.settings = settings
            let group = settings.applicationId
            offsets = try cluster.makeConsumer(group: group, isolation: .readCommitted, clientId: clientId + "-offsets")
            claims = try cluster.makeConsumer(group: group, isolation: .readUncommitted, clientId: clientId + "-claims")
            admin = try cluster.makeAdmin()
        }

        func close() {
            offsets.close()
            claims.close()
            admin.close()
        }
    }

    enum Answer: Sendable {
        case takeOver(TakeOverAnswer)
        case abandoned(AbandonedOwners.Answer, askedAt: Duration)
        case ends(Result<[TopicPartition: Offset], LogError>)
        case members(Result<[GroupMember], LogError>)
        case unowned(UnownedTasks.Answer)
    }

    private let ports: SharedPorts
    private let answer = AnswerBox()
    /// True from a question to the moment when its answer is taken.
    private(set) var isBusy = false

    init(_ ports: SharedPorts) {
        self.ports = ports
    }

    /// - Parameter isUrgent: true if it goes before other threads' questions that are not.
    func ask(isUrgent: Bool = false, _ question: @escaping @Sendable (Ports) -> Answer) {
        precondition(!isBusy, "One question at a time.")
        isBusy = true
        ports.background.run(isUrgent: isUrgent) { [ports = ports.questions, answer] in answer.set { question(ports) } }
    }

    /// The answer, once; `nil` while it is not there.
    func takeAnswer() -> Answer? {
        guard isBusy, let found = answer.take() else { return nil }
        isBusy = false
        return found
    }

    /// A question that nobody has begun to answer is not asked any more.
    func close() { answer.close() }
}

private final class AnswerBox: Sendable {
    private let answer = Mutex<BrokerInquiry.Answer?>(nil)
    private let isClosed = Atomic(false)

    func set(_ find: () -> BrokerInquiry.Answer) {
        if isClosed.load(ordering: .relaxed) { return }
        let found = find()
        answer.withLock { $0 = found }
    }

    func close() { isClosed.store(true, ordering: .relaxed) }

    func take() -> BrokerInquiry.Answer? {
        answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
    }
}
