import Messages

/// A refusal speaks of one device; the same refusal of one device after the other speaks of a setting, and taking it at
/// its word would retire them all. So a refusal is believed only when that server takes something after it. Until then
/// nothing of it is settled: no position moves past it. Of a lane one request is under way, so each is of another one.
extension ReloadSinkRunner {
    /// An answer that may be about more than what it answers.
    struct Refused {
        var sent: Sent
        var problem: MessageProblem
        var reason: String
        var at: Duration
    }

    /// What ends the run, where this reason was one too many.
    func refusalOfAll(by host: String, reason: String) -> String? {
        let count = refusedRow.count { $0.reason == reason && $0.sent.attempt.host == host }
        guard count >= settings.refusalsMax else { return nil }
        return "\(host) refuses one after the other: \(count) with \(reason), none delivered between;"
            + " is it the right server and topic for them? Nothing is retired for it"
    }

    /// Something was delivered there: the settings are right. Nil: whichever the server.
    func believeRefusals(by host: String? = nil) {
        let believed = refusedRow.filter { host == nil || $0.sent.attempt.host == host }
        refusedRow.removeAll { host == nil || $0.sent.attempt.host == host }
        for refused in believed {
            let (lane, parcel) = (refused.sent.lane, refused.sent.parcel)
            if let rest = redirect(parcel, from: lane) {
                tellRetired(destination.believe(refused.problem, reason: refused.reason, of: rest.content))
                deadLetter(rest.records, refused.problem)
            }
            finish(lane, parcel)
        }
    }

    /// Where nothing is left that could be delivered, or nothing was for long, a short row is believed.
    func believeWhatIsOver() {
        guard let first = refusedRow.first else { return }
        let isLast = hasReadAll && underWay.isEmpty && lanes.count == refusedRow.count
        if isLast || clock.now - first.at >= settings.ageMax { believeRefusals() }
    }
}
