import CRdKafka

extension ClientHandle {
    /// Gives up all records that a producer still holds, those on their way as well. Afterwards no answer to them is
    /// read any more. To be called before `destroy`; no callback of the owner is called from here on.
    ///
    /// An answer may not come while librdkafka destroys a transactional producer: versions 2.0.2 to 2.15.0 free the
    /// text of the transaction's error then, and free it again if the answer says that the producer is fenced. So this
    /// waits for the threads of all brokers, as destroying does.
    func giveUpRecords() {
        callbacks.forgetOwner()
        for _ in 0..<Self.purgesMax {
            rd_kafka_purge(pointer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT)
            // A record counts until its report is served.
            rd_kafka_poll(pointer, 0)
            if rd_kafka_outq_len(pointer) == 0 { return }
        }
    }

    /// What goes from one broker's thread to another's meanwhile is met by the next purge.
    private static let purgesMax = 10
}
