import Diagnosis
import RecordLog

extension Environment {
    /// Reads what coordinators have written of all transactional ids, to the end that it has now. Blocks. It needs Read
    /// and DescribeConfigs on their topic.
    ///
    /// - Parameter followed: the transaction whose end is looked for.
    /// - Throws: with status 69 if it cannot be read.
    func coordinatedTransactions(
        following followed: CoordinatedTransaction? = nil
    ) throws(CommandFailure) -> CoordinatedTransactions {
        var transactions = CoordinatedTransactions(following: followed)
        try readRecords(of: CoordinatedTransactions.topic, needsAll: true) { view, _ in
            transactions.apply(key: view.key.map { Array($0) } ?? [], value: view.value.map { Array($0) })
        }
        return transactions
    }
}
