import Foundation
import TestSupport

extension ChaosRun {
    /// Deletes `widget.configurations` while all run, makes it again, and writes all configurations anew, as an
    /// operator would.
    func recreateConfigurations() throws {
        _ = try script([
            "tool", "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", cluster.bootstrap, "--delete",
            "--topic", "widget.configurations",
        ])
        var failure: (any Error)?
        let isMade = wait(atMost: 30, every: 0.5) {
            do {
                try run("topics", "--partitions", String(plan.partitions), "--replication", String(plan.brokers))
                return true
            } catch {
                failure = error
                return false
            }
        }
        if !isMade, let failure { throw failure }
        try writer.repeatConfigurations()
    }
}
