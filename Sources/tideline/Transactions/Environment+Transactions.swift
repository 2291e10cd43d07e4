import Diagnosis
import RecordLog

extension Environment {
    /// Reads what coordinators have written of all transactional ids, to the end that it has now. Blocks. It needs Read
    /// and DescribeConfigs on their topic.
    ///
    /// - Throws: with status 69 if it cannot be read.
    func coordinatedTransactions() throws(CommandFailure) -> CoordinatedTransactions {
        var transactions = CoordinatedTransactions()
        try readRecords(of: CoordinatedTransactions.topic, needsAll: true) { view, _ in
            transactions.apply(key: view.key.map { Array($0) } ?? [], value: view.value.map { Array($0) })
        }
        return transactions
    }
}
