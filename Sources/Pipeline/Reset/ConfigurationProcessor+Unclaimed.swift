import StreamCore

/// Timelines from before a reset whose configurations have not come again.
extension ConfigurationProcessor {
    /// Takes such a timeline away. Any other slot stays as it is.
    func withdrawUnclaimed(
        _ slot: Slot<ConfigurationState>, _ configurationId: String, key: UnsafeRawBufferPointer,
        traceParent: [UInt8]?, _ context: TaskContext
    ) {
        guard table[slot]?.hasUnclaimedTimeline == true else { return }
        table.modify(slot) { $0.hasUnclaimedTimeline = false }
        publisher.withdraw(configurationId, key: key, traceParent: traceParent, context)
    }

    /// The time in which a deleted configuration could have come again is over.
    func forget(_ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        let configurationId = table.configurationId(of: slot)
        Array(configurationId.utf8).withUnsafeBytes { key in
            withdrawUnclaimed(slot, configurationId, key: key, traceParent: nil, context)
        }
        table[slot] = nil
    }
}
