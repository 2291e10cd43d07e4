package import RecordLog
package import StreamCore

/// Between every pair of tasks messages stay first-in-first-out: within the thread only once the receiver's exchange
/// position has passed everything that may have been sent to it before (DESIGN.md, "Local delivery").
extension StreamThread: MessageRouter {
    package func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
        outbox.send(envelope, key: key, to: partition, through: settings.exchangeTopic)
    }

    package func deliver(_ message: LocalMessage, to partition: Partition) {
        outbox.deliver(message, to: partition)
    }

    package func staysWithin(to partition: Partition) -> Bool {
        guard let target = tasks[partition], target.isRunning, !outbox.hasSent(to: partition) else { return false }
        // In a rebalance callback nothing is asked: the exchange serves as well (R16).
        if target.localBarrier == nil && !membership.isInCallback { askForBarriers() }
        guard let barrier = target.localBarrier else { return false }
        return target.exchangeNext >= barrier
    }

    /// One question for all tasks that need it, for after a rebalance that is each of them.
    private func askForBarriers() {
        guard barrierQuestions.begin(at: clock.monotonic()) else { return }
        let waiting = tasks.running.filter { $0.localBarrier == nil }
        let places = waiting.map { TopicPartition(settings.exchangeTopic, $0.task.partition) }
        do throws(LogError) {
            let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: settings.attemptTimeout)
            for (runtime, place) in zip(waiting, places) { runtime.localBarrier = ends[place] }
        } catch {
            // Messages take the exchange meanwhile. Records wait for each such question.
            barrierQuestions.pause(until: clock.monotonic() + settings.answerInterval)
            observer(.failed(error, doing: "asking for the exchange's ends"))
        }
    }

    /// - Returns: whether there was any.
    @discardableResult
    func deliverLocalMessages() -> Bool {
        if outbox.locals.isEmpty { return false }
        var index = 0
        while index < outbox.locals.count {
            let local = outbox.take(at: index)
            index += 1
            guard let target = tasks[local.partition] else {
                preconditionFailure("A task that messages were sent to stays until the transaction ends.")
            }
            target.task.receive(local.message)
        }
        outbox.noteDelivery()
        return true
    }

    /// A transaction has ended, or may have: where the exchange ends now is known of none of its receivers.
    func forgetBarriers() {
        for partition in outbox.takeReceivers() { tasks[partition]?.localBarrier = nil }
    }
}
