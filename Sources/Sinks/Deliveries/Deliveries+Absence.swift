import RecordLog

/// How answers that something is not there are taken. `HostState` says when they are believed.
extension Deliveries {
    /// The earliest of its parcels; of now if this answer is the first.
    func absence(of sent: Sent) -> Absence {
        let known = sent.items.compactMap(\.parcel.absence).min { $0.since < $1.since }
        return known ?? Absence(since: clock.now, deliveries: hosts[sent.attempt.host]?.deliveries ?? 0)
    }

    /// What was to be removed is not there: that is believed, or asked again.
    func settleAbsent(_ sent: Sent, _ action: HostState<Refused>.Action) {
        guard case .wait(let due, _) = action else {
            summary.delivered += sent.items.count
            for item in sent.items {
                destination.believeAbsent(item.parcel.content)
                finish(item.lane, item.parcel)
            }
            return
        }
        summary.retries += sent.items.count
        let absence = absence(of: sent)
        for item in sent.items {
            var parcel = item.parcel
            parcel.attempts += 1
            // An answer as this one is no failure, and never makes a dead letter.
            (parcel.absence, parcel.failure) = (absence, nil)
            let host = destination.host(of: parcel.content)
            let reason = "\(host): it turns all away, and says of what is gone that it is not there"
            absent.insert(item.lane, of: host, reason)
            putBack(parcel, to: item.lane, due: due + HostBreaker.place(parcel.attempts))
        }
    }
}
