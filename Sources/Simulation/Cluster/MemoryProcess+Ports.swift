package import RecordLog

extension MemoryProcess {
    package func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError)
        -> any Consumer
    {
        try end(begin(.log(.makeConsumer), client: clientId))
        return MemoryConsumer(process: self, group: group, isolation: isolation, clientId: clientId)
    }

    package func makeMember(of group: String, instance: String?, clientId: String) throws(LogError) -> any Consumer {
        try end(begin(.log(.makeConsumer), client: clientId))
        return MemoryConsumer(
            process: self, group: group, isolation: .readCommitted, clientId: clientId, instance: instance)
    }

    package func makeTransactionalProducer(transactionalId: String, clientId: String) throws(LogError)
        -> any TransactionalProducer
    {
        try end(begin(.transactional(.makeTransactionalProducer), client: clientId))
        return MemoryTransactionalProducer(process: self, transactionalId: transactionalId, clientId: clientId)
    }

    package func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        try end(begin(.log(.makePlainProducer), client: clientId))
        return MemoryPlainProducer(process: self, clientId: clientId)
    }

    package func makeReportingProducer(clientId: String) throws(LogError) -> any ReportingProducer {
        try end(begin(.log(.makeReportingProducer), client: clientId))
        return MemoryReportingProducer(process: self, clientId: clientId)
    }

    package func makeAdmin() throws(LogError) -> any Admin {
        try end(begin(.log(.makeAdmin), client: nil))
        return MemoryAdmin(process: self)
    }
}
