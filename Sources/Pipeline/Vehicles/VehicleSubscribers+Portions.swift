import StreamCore
import Timelines

/// What concerns more subscribers than a transaction has room for, and goes on in the next one (R17).
extension VehicleSubscribers {
    // MARK: - A vehicle with many subscribers

    /// Tells the next subscribers of vehicles that have changed.
    func tellNext(_ context: TaskContext) {
        fanOut.advance(context) { slot, traceParent in
            guard mayHaveNews(slot, context) else { return false }
            update(slot, Waiting(required: nil, traceParent: traceParent), context)
            return true
        } mark: { vehicle, mark in
            guard let state = vehicles[vehicle], mark != nil || state.fanOut != nil else { return }
            vehicles.modify(vehicle) { $0!.fanOut = mark }
        }
    }

    /// False if a subscriber would see no difference to its last update. To one without an update an answer is due.
    private func mayHaveNews(_ slot: Slot<VehicleSubscription>, _ context: TaskContext) -> Bool {
        let vehicle = links.source(of: slot)
        guard let summary = summaries[slot] else { return false }
        let change = VehicleChange(
            status: vehicles[vehicle]?.vehicle.status, observedAt: vehicles[vehicle]?.vehicle.observedAt,
            wasUnreadable: false, isOfEarlierObservation: false)
        return summary.isNews(change, at: context.now)
            || summary.needsFullComparison && hasNews(slot, of: vehicle, at: context.now)
            || subscriptions[slot]?.lastUpdate?.isUnreadable != vehicles[vehicle]?.isUnreadable
            || isLighter(vehicle, than: summary)
    }

    // MARK: - The clock went back

    /// Updates for instants that are ahead now are sent again for now to subscribers that are refreshed by this task. A
    /// subscriber with timers of its own asks by itself; its last update is reckoned anew, so that the next change is
    /// one.
    func clockWentBack(_ context: TaskContext) {
        clockWalk.begin()
        followClock(context)
    }

    /// Goes on with the next subscriptions.
    func followClock(_ context: TaskContext) {
        clockWalk.advance(over: subscriptions, context) { slot in
            guard let isRefreshed = reckonAnew(slot, context) else { return false }
            guard isRefreshed else { return true }
            let trace = waiting.item(of: slot)?.traceParent
            waiting.replace(slot, with: Waiting(required: (.dataChanged, context.now), traceParent: trace))
            return true
        }
    }

    /// What waits for a subscription that the walk may not have come to yet, as it would have been after that.
    func followed(_ waiting: Waiting, _ slot: Slot<VehicleSubscription>, _ context: TaskContext) -> Waiting {
        var waiting = waiting
        if reckonAnew(slot, context) == true && waiting.required == nil {
            waiting.required = (.dataChanged, context.now)
        }
        return waiting
    }

    /// - Returns: true if the subscription is refreshed by this task; `nil` if its last update is not ahead.
    private func reckonAnew(_ slot: Slot<VehicleSubscription>, _ context: TaskContext) -> Bool? {
        let now = context.now
        guard let at = subscriptions[slot]?.lastUpdate?.report.at, settings.isAhead(at, of: now),
            let subscription = subscriptions[slot]
        else { return nil }
        subscriptions[slot]!.lastUpdate!.report.at = now
        if subscription.need.refresh != nil { return true }
        let vehicle = vehicles[links.source(of: slot)]?.vehicle
        subscriptions[slot]!.lastUpdate!.report.status = vehicle?.status(
            at: now, offlineAfter: subscription.need.offlineAfter)
        subscriptions[slot]!.lastUpdate!.report.silences = subscription.need.silencesPassed(of: vehicle, at: now)
        summarise(slot)
        timers.arm(slot)
        return false
    }

    // MARK: - A run that ends

    func bringUp(_ context: TaskContext) {
        catchUp.advance(over: subscriptions, context) { bringUp($0, context) }
    }

    /// - Returns: true if an update is due.
    private func bringUp(_ slot: Slot<VehicleSubscription>, _ context: TaskContext) -> Bool {
        vehicles.releaseManyDecoded()
        guard let known = subscriptions[slot]?.lastUpdate?.revision, let at = subscriptions[slot]?.lastUpdate?.report.at
        else { return false }
        let revision = vehicles[links.source(of: slot)]?.revision ?? 0
        let isRefreshed = subscriptions[slot]?.need.refresh != nil
        if known == revision && (at >= context.now || !isRefreshed) { return false }
        // The subscriber waits for the answer to its snapshot, which tells all that is known.
        if !isRefreshed && waiting.item(of: slot)?.required?.cause == .scheduled { return true }
        // A subscriber with timers of its own takes `scheduled` for the answer to a snapshot.
        let required = (isRefreshed ? Cause.scheduled : .dataChanged, context.now)
        // News that wait would be dropped if a status changed back within the transaction.
        let trace = waiting.item(of: slot)?.traceParent
        waiting.replace(slot, with: Waiting(required: required, traceParent: trace))
        return true
    }
}
