import RecordLog
import Simulation
import StreamRuntime

extension SimulatedApplication {
    /// Somebody whom no claim names writes into the changelog of task 0.
    ///
    /// - Returns: whose transaction is open.
    func openStrangerInChangelog() throws -> any TransactionalProducer {
        let stranger = try cluster.makeTransactionalProducer(transactionalId: "stranger", clientId: "s")
        try stranger.initialise(timeout: .zero)
        try stranger.begin()
        let key: [UInt8] = [1, 65]
        try key.withUnsafeBytes {
            try stranger.produce(topic: settings.stateTopic, partition: 0, key: $0, value: nil, headers: [])
        }
        return stranger
    }
}
