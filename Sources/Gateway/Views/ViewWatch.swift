import Messages
package import RecordLog
import Synchronization

/// Asks the brokers what the reader's thread must not wait for: new partitions, topics that were made anew, whether the
/// brokers answer at all, and how far the pipeline has read what requests wait for.
///
/// It has a thread of its own, which calls `step` again and again. What it finds is taken by the reader.
package final class ViewWatch: Sendable {
    private let context: GatewayContext
    private let names: [ViewedTopic: String]
    private let findings = Mutex<[Finding]>([])

    package enum Finding: Sendable {
        case partitions(ViewedTopic, Int32)
        case endBeforePosition(ViewedTopic, Partition, Offset)
        case notice(ViewNotice)
    }

    /// How often topics are looked at, and while the brokers are away or a topic cannot be followed.
    package static let interval = Duration.seconds(30)
    private static let outageInterval = Duration.seconds(2)

    package init(_ context: GatewayContext) {
        self.context = context
        names = context.settings.topics.viewed
    }

    /// The findings since the last call.
    func takeFindings() -> [Finding] {
        findings.withLock { findings in
            defer { findings = [] }
            return findings
        }
    }

    /// The state of the watch's own thread.
    package final class Rounds {
        private let admin: any Admin
        private var lookedAt: Duration?
        private var askedAt: Duration?
        private var answered = true
        /// The topics whose absence was told.
        private var absent: [String] = []
        /// The refusal of a look that was told last; `nil` once a look has succeeded.
        private var refused: LogError?
        private var isRefusalTold = false
        private var backlog = PipelineBacklog()

        /// - Parameter admin: is the watch's from here on; `close` closes it.
        package init(_ admin: any Admin) {
            self.admin = admin
        }

        package func close() { admin.close() }

        /// Does what is due. Blocks as long as a request takes, a few seconds at most.
        package func step(_ watch: ViewWatch, timeout: Duration = .seconds(2)) {
            let now = watch.context.clock.now
            let isWell = answered && absent.isEmpty && watch.context.health.topicTrouble == nil
            let interval = isWell ? ViewWatch.interval : ViewWatch.outageInterval
            // A connection tells of an outage sooner: it is looked for every few seconds.
            if lookedAt.map({ now - $0 >= interval }) ?? true {
                lookedAt = now
                look(watch, timeout)
            } else if askedAt.map({ now - $0 >= ViewWatch.outageInterval }) ?? true {
                askedAt = now
                note(watch) { () throws(LogError) in try admin.connect(timeout: timeout) }
            }
            followPipeline(watch, timeout)
        }

        private func note(_ watch: ViewWatch, _ request: () throws(LogError) -> Void) {
            do throws(LogError) {
                try request()
                answered = true
                watch.context.health.brokersAnswer()
            } catch {
                // A refusal is an answer, too.
                answered = !error.isRetriable && error.code != .unreachable && error.code != .timedOut
                if answered {
                    watch.context.health.brokersAnswer()
                } else {
                    watch.context.health.brokersAreAway(now: watch.context.clock.now)
                }
                let told = ViewNotice.failure(error, reading: watch.all)
                let isKnown = told.refusal != nil && error == refused
                if let refusal = told.refusal {
                    refused = error
                    absent = []
                    watch.context.health.topicsAreAbsent([])
                    watch.context.health.lookIsRefused(refusal)
                }
                if !isKnown { watch.add(.notice(told)) }
            }
        }

        private func look(_ watch: ViewWatch, _ timeout: Duration) {
            note(watch) { () throws(LogError) in
                let described = try admin.describeTopics(watch.all, timeout: timeout)
                noteAbsent(watch.all.filter { described[$0] == nil }, watch)
                // Positions first: an end that is asked for later and lies before them is of another topic.
                let positions = watch.context.views.positions
                for topic in ViewedTopic.allCases {
                    guard let name = watch.names[topic], let total = described[name]?.partitions else { continue }
                    watch.add(.partitions(topic, total))
                    let places = (0..<Partition(total)).map { TopicPartition(name, $0) }
                    let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: timeout)
                    for (index, next) in positions[topic].enumerated() where index < places.count {
                        if let end = ends[places[index]], end < next {
                            watch.add(.endBeforePosition(topic, Partition(Int32(index)), end))
                        }
                    }
                }
                refused = nil
                watch.context.health.lookIsRefused(nil)
            }
            askToRead(watch, timeout)
        }

        private func noteAbsent(_ names: [String], _ watch: ViewWatch) {
            for name in names where !absent.contains(name) { watch.add(.notice(.missing(topic: name))) }
            // A broker that has just come back does not know each topic for a moment.
            watch.context.health.topicsAreAbsent(names.filter { absent.contains($0) })
            absent = names
        }

        /// Asks if a topic may be read again that was refused: a consumer tells a refusal once, and nothing when it is
        /// over. One topic at a time, for it takes a connection.
        private func askToRead(_ watch: ViewWatch, _ timeout: Duration) {
            guard answered, let topic = watch.context.health.unreadableTopics.first(where: { !absent.contains($0) })
            else { return }
            do throws(LogError) {
                // It takes a connection of its own.
                try admin.check(Permission(.read, .topic(topic)), timeout: max(timeout, .seconds(5)))
                watch.context.health.mayRead(topic)
            } catch {
                // Then it is still refused, or that cannot be told now: the next look asks again.
            }
        }

        /// Tells those that wait how far the pipeline's group has read.
        private func followPipeline(_ watch: ViewWatch, _ timeout: Duration) {
            let context = watch.context
            let places = Set(context.waiters.places.map { TopicPartition($0.topic, $0.partition) })
            guard !places.isEmpty else { return }
            backlog.look(admin, context.settings, now: context.clock.now, timeout: timeout)
            if backlog.isFarBehind { return }
            do throws(LogError) {
                let committed = try admin.committedOffsets(
                    group: context.settings.application, partitions: places.sorted(), timeout: timeout)
                context.waiters.pipelineHasRead(
                    to: committed.mapValues { $0.next }, now: context.clock.now, settle: context.settings.settle)
                isRefusalTold = false
            } catch {
                // Then a wait ends by what is committed alone, or by its time.
                guard error.code == .notAuthorised, !isRefusalTold else { return }
                isRefusalTold = true
                watch.add(
                    .notice(
                        .notAuthorised(
                            "may not see how far the pipeline has read: an ACL that allows DESCRIBE on the group "
                                + "\(context.settings.application) to this client's principal is missing")))
            }
        }
    }

    /// The names of all topics, in the order of `ViewedTopic`.
    private var all: [String] { ViewedTopic.allCases.compactMap { names[$0] } }

    private func add(_ finding: Finding) {
        findings.withLock { $0.append(finding) }
    }
}
