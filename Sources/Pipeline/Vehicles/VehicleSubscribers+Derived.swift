import StreamCore

/// What follows from the stores: links, timers and summaries. It is derived after a restore, and again after an abort.
extension VehicleSubscribers {
    func summarise(_ slot: Slot<VehicleSubscription>) {
        summaries[slot] = UpdateSummary(of: slot, in: subscriptions)
    }

    /// Links each subscription to its vehicle; none of them is decoded for that. The stores are complete for the first
    /// time.
    ///
    /// - Returns: false if the portion was used up, as `DerivingProcessor.finishRestore`.
    func linkRestored(_ portion: inout Int) -> Bool {
        while let slot = restored.next(in: subscriptions, &portion) {
            let vehicle = subscriptions.withKey(of: slot) { vehicles.slot(of: SubscriptionKey.sourceId(in: $0)) }
            links.link(slot, to: vehicle)
        }
        return restored.isDone(in: subscriptions)
    }

    /// Derives what follows from the subscriptions of a vehicle, known or not, and goes on with what the vehicle was
    /// telling them; to be called for each vehicle, after `linkRestored`. So each is decoded once, while its vehicle is
    /// decoded.
    ///
    /// - Parameter portion: the subscriptions that may still be looked at.
    /// - Returns: false if it was used up; then the call comes again for the same vehicle.
    func deriveRestored(of vehicle: Slot<VehicleState>, _ portion: inout Int) -> Bool {
        if underived == nil {
            if let mark = vehicles[vehicle]?.fanOut { fanOut.restore(vehicle, mark) }
            underived = links.subscriptions(of: vehicle)
            // Vehicles come in the order of their slots: what most of them begin with is asked for ahead.
            if let ahead = links.first(of: Slot(vehicle.index + 8)) { subscriptions.prefetchStored(ahead) }
        }
        while portion > 0 {
            guard let slot = underived?.next() else {
                underived = nil
                return true
            }
            portion -= 1
            rederive(slot)
            subscriptions.releaseDecoded(slot)
        }
        return false
    }

    /// All that follows from each vehicle's subscriptions is derived.
    func finishRestore() {
        subscriptions.noteVisited()
        fanOut.committed()
    }

    func committed() {
        timers.committed()
        fanOut.committed()
        catchUp.committed()
        clockWalk.committed()
    }

    /// Forgets work that waits, and derives anew what the aborted transaction may have changed.
    func reverted() {
        let waited = waiting.drain()
        changed.removeAll()
        fanOut.reverted()
        catchUp.reset()
        clockWalk.reverted()
        timers.reverted()
        for (slot, _) in waited { rederive(slot) }
        for slot in subscriptions.reverted { rederive(slot) }
        for vehicle in vehicles.reverted {
            for slot in links.subscriptions(of: vehicle) { timers.arm(slot) }
        }
    }

    private func rederive(_ slot: Slot<VehicleSubscription>) {
        summarise(slot)
        timers.arm(slot)
    }

    /// Subscriptions have ended.
    func forget(_ released: ReleasedSlots<VehicleSubscription>) {
        for slot in released.slots {
            fanOut.unlinking(slot)
            catchUp.unlinking(slot)
            if let vehicle = links.unlink(slot) { onDeserted(vehicle) }
        }
        links.forget(released)
        timers.forget(released)
        waiting.forget(released)
        summaries.forget(released)
    }

    /// Vehicles have been removed.
    func forget(_ released: ReleasedSlots<VehicleState>) {
        links.forget(released)
        changed.forget(released)
    }
}
