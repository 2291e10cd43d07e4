package import RecordLog
package import Times

/// How far an application has read, looked at twice.
package struct LagFacts: Sendable {
    /// The time between the two looks.
    package var interval: ElapsedTime
    /// *P*; 0 if the internal topics are not there.
    package var tasks: Int32
    package var exchangeTopic: String
    /// `nil` if it cannot be told.
    package var members: [GroupMember]?
    package var places: [Place]
    /// The tasks that a process restores, as processes that were asked say.
    package var restored: Set<Int32>

    package struct Place: Hashable, Sendable {
        package var partition: TopicPartition
        package var low: Offset
        /// The end at the first look.
        package var end: Offset
        /// What the group had committed at the first look and at the second; `nil` if nothing.
        package var before: Offset?
        package var after: Offset?

        package init(_ partition: TopicPartition, low: Offset, end: Offset, before: Offset?, after: Offset?) {
            self.partition = partition
            self.low = low
            self.end = end
            self.before = before
            self.after = after
        }

        /// Offsets before the end of the first look that were not read at the second. Markers of transactions count.
        package var behind: Int64 { max(0, end.rawValue - max(after ?? low, low).rawValue) }
        var read: Int64 { max(0, (after ?? low).rawValue - (before ?? low).rawValue) }
        /// It waited at the first look, and nothing of it was read until the second.
        var isStanding: Bool { behind > 0 && before == after }
    }

    package init(
        interval: ElapsedTime, tasks: Int32, exchangeTopic: String, members: [GroupMember]?, places: [Place],
        restored: Set<Int32> = []
    ) {
        self.interval = interval
        self.tasks = tasks
        self.exchangeTopic = exchangeTopic
        self.members = members
        self.places = places
        self.restored = restored
    }

    /// - Parameter command: makes a whole command line of a verb with its words.
    package func findings(command: (String) -> String) -> [Finding] { membership(command) + topics + stuck }

    private var isRunning: Bool { members.map { !$0.isEmpty } ?? true }

    // MARK: - Members

    private func membership(_ command: (String) -> String) -> [Finding] {
        guard let members else { return [Finding(.members, "group", .notice, "the cluster cannot tell who is in it")] }
        if members.isEmpty {
            return [
                Finding(
                    .members, "group", .bad, "nobody is in it: no 'tideline process' runs", remedy: command("process"))
            ]
        }
        guard tasks > 0, members.allSatisfy({ $0.assigned != nil }) else {
            return [
                Finding(
                    .members, "group", .notice,
                    "\(members.count.counted("member")), and their tasks are being given out anew",
                    remedy: "If it stays so for longer than session.timeout, look at the members' logs.")
            ]
        }
        let owned = Set(members.flatMap { $0.assigned ?? [] }.filter { $0.topic == exchangeTopic }.map(\.partition))
        let unowned = (0..<Partition(tasks)).filter { !owned.contains($0) }
        if unowned.isEmpty {
            return [
                Finding(
                    .members, "group", .good,
                    "\(members.count.counted("stream thread")) \(members.count == 1 ? "has" : "have") all of"
                        + " \(Int(tasks).counted("task"))")
            ]
        }
        return [
            Finding(
                .members, "group", .bad,
                "nobody owns \(unowned.count == 1 ? "task" : "tasks") "
                    + unowned.map { "\($0)" }.joined(separator: ", "),
                remedy: "They are given out anew after session.timeout and five seconds; after that, restart a process."
            )
        ]
    }

    // MARK: - Lag

    private var topics: [Finding] {
        Dictionary(grouping: places, by: \.partition.topic).sorted { $0.key < $1.key }.map { topic, places in
            let behind = places.reduce(0) { $0 + $1.behind }
            let read = places.reduce(0) { $0 + $1.read }
            guard behind > 0 else { return Finding(.lag, topic, .good, "all is read") }
            let pace = isRunning ? "; \(read.grouped) were read in \(interval.text)" : ""
            return Finding(
                .lag, topic, .notice, "\(behind.counted("record")) not read yet\(pace)",
                remedy: isRunning ? "" : "It is read once 'tideline process' runs.")
        }
    }

    /// One line for each task that has something to read and read nothing of anything.
    private var stuck: [Finding] {
        guard isRunning, tasks > 0 else { return [] }
        return Dictionary(grouping: places) { $0.partition.partition.rawValue % tasks }
            .sorted { $0.key < $1.key }.compactMap { task, places in
                let standing = places.filter(\.isStanding).sorted { $0.partition < $1.partition }
                guard !standing.isEmpty, places.allSatisfy({ $0.read == 0 }) else { return nil }
                let shown = standing.prefix(3).map { place in
                    let position = place.after.map { "\($0)" } ?? "its beginning"
                    return "\(place.partition) at \(position), which ends at \(place.end)"
                }
                let more = standing.count > 3 ? " and \(standing.count - 3) more" : ""
                let owner = owner(of: task).map { ", owned by \($0)" } ?? ""
                let waiting = shown.joined(separator: "; ") + more
                if restored.contains(task) {
                    return Finding(
                        .lag, "task \(task)", .notice, "is restored\(owner); what waits is \(waiting)",
                        remedy: "Wait: it reads on once that is done. A restart would begin it again.")
                }
                return Finding(
                    .lag, "task \(task)", .bad, "stands still for \(interval.text)\(owner): \(waiting)",
                    remedy: "If the status line of its process says that it restores, wait: a restart would begin that"
                        + " again. Else it waits for a transaction (see below), or is stuck: look at the log of its"
                        + " process, then restart that process.")
            }
    }

    private func owner(of task: Int32) -> String? {
        members?.first { member in
            member.assigned?.contains(TopicPartition(exchangeTopic, Partition(task))) == true
        }?.clientId
    }
}
