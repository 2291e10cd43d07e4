package import RecordLog

/// What comes in: records of the sources, and messages of other nodes.
extension StreamTask {
    /// Records of a source, at the partition that this task reads, are about to be processed.
    package func prefetch(_ records: ArraySlice<RecordView>, source: UInt8) {
        nodes[context.topology.sources[Int(source)].node].records?.prefetch(records)
    }

    /// A record of a source, at the partition that this task reads.
    package func process(_ view: RecordView, source: UInt8) {
        context.counters.records += 1
        let origin = Origin(source: source, partition: view.partition, offset: view.offset)
        process(InputRecord(origin: origin, view: view))
    }

    private func process(_ record: InputRecord) {
        let node = context.topology.sources[Int(record.origin.source)].node
        guard let processor = nodes[node].records else { preconditionFailure("A source feeds a RecordProcessor.") }
        context.node = node
        if context.trace != nil { return context.traced(record) { processor.process(record, context) } }
        processor.process(record, context)
    }

    /// What comes from a task of this thread.
    package func receive(_ message: LocalMessage) {
        switch message {
        case .value(let value):
            guard nodes.indices.contains(value.node), let take = nodes[value.node].take else {
                preconditionFailure("A node that is sent messages takes them.")
            }
            context.node = value.node
            take(value, context)
        case .envelope(let envelope):
            envelope.withUnsafeBytes { bytes in
                do throws(CorruptBytes) {
                    try receive(bytes)
                } catch {
                    preconditionFailure("A record of this thread cannot be read: \(error)")
                }
            }
        }
    }

    /// A message or a forwarded record, as the exchange has it.
    ///
    /// - Throws: where the bytes are not what a task of this program wrote.
    package func receive(_ envelope: UnsafeRawBufferPointer) throws(CorruptBytes) {
        switch try Envelope.read(envelope) {
        case .message(let node, let message):
            guard nodes.indices.contains(node), let receive = nodes[node].receive else {
                throw CorruptBytes("unknown node \(node)")
            }
            context.node = node
            try receive(message, context)
        case .forwarded(let record, let headers):
            guard context.topology.sources.indices.contains(Int(record.origin.source)) else {
                throw CorruptBytes("unknown source \(record.origin.source)")
            }
            let reader = context.headerReader
            context.headerReader = { _ in headers }
            defer { context.headerReader = reader }
            process(record)
        }
    }
}
