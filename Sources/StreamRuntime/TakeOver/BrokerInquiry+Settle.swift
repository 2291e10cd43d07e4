import RecordLog

extension BrokerInquiry.Ports {
    /// Initialising a producer of an id ends what its owner left open.
    ///
    /// What was left open makes the coordinator refuse at first, for as long as it takes to write the markers.
    /// librdkafka 2.0.2 asks again after half a second, another producer at once.
    func settle(_ owner: String) throws(LogError) {
        do throws(TransactionError) {
            try initialise(owner, timeout: min(.milliseconds(100), settings.callTimeout))
        } catch .retriable {
            do throws(TransactionError) {
                try initialise(owner, timeout: settings.callTimeout)
            } catch {
                throw error.cause
            }
        } catch {
            throw error.cause
        }
    }

    private func initialise(_ owner: String, timeout: Duration) throws(TransactionError) {
        let heir: any TransactionalProducer
        do throws(LogError) {
            heir = try cluster.makeTransactionalProducer(
                transactionalId: owner, clientId: settings.applicationId + "-settle")
        } catch {
            throw .fatal(error)
        }
        defer { heir.destroy() }
        try heir.initialise(timeout: timeout)
    }
}
