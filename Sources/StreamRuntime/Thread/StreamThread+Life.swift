import RecordLog
import StreamCore

/// How a stream thread begins and ends.
extension StreamThread {
    /// Initialises the producer and joins the group. Call once, before the first iteration. Waits for as long as an
    /// outage lasts, but no longer once the thread is to end.
    package func start() throws(StreamFailure) {
        consumer.expect(topology.sources.map(\.topic) + [settings.exchangeTopic])
        restorer.expect([settings.stateTopic])
        while !state.mayProcess {
            willWait()
            try settle()
            if shouldEnd() { return }
            if !state.mayProcess { clock.pause(.milliseconds(5)) }
        }
        do throws(LogError) {
            try consumer.subscribe(to: settings.exchangeTopic, listener: self)
        } catch {
            throw StreamFailure("cannot join the group: \(error)")
        }
        membership.subscribe()
    }

    /// Commits what is done, releases its tasks, leaves the group and ends. Nothing may be called afterwards.
    package func close() {
        // Closing before the first assignment can crash librdkafka 2.0.2 (R12).
        let deadline = clock.monotonic() + settings.leaveTimeout
        while membership.awaitsAssignment && clock.monotonic() < deadline {
            _ = consumer.poll(maximum: 1, timeout: settings.pollTimeoutMax)
        }
        commit(within: settings.transactionTimeout, releasing: tasks.partitions)
        leaving { () throws(StreamFailure) in try settle() }
        consumer.close(waiting: max(deadline - clock.monotonic(), .zero))
        leaving { () throws(StreamFailure) in try endOpenTransaction() }
        if state.name != .ended { enter(.ended) }
        producer.destroy()
        standbys.close()
        inquiry.close()
        positionChecks.comparer?.close()
        ports.release(restorer)
    }

    private func leaving(_ body: () throws(StreamFailure) -> Void) {
        do throws(StreamFailure) { try body() } catch { observer(.failed(asLogError(error), doing: "leaving")) }
    }
}
