import Foundation
import TestSupport

extension ChaosRun {
    static let remade = "widget.configurations"

    /// Deletes `widget.configurations` while all run, makes it again, and writes all configurations anew, as an
    /// operator would.
    func recreateConfigurations() throws {
        try deleteConfigurations()
        // A broker that has not heard of the end would say that the topic is there.
        if !wait(atMost: 30, every: 0.2, until: { knowingNodes.isEmpty }) {
            say("\(Self.remade) is still there 30 s after it was deleted")
        }
        var failure: (any Error)?
        let isMade = wait(atMost: 60, every: 0.5) {
            do {
                try run("topics", "--partitions", String(plan.partitions), "--replication", String(plan.brokers))
                return knowingNodes.count == cluster.nodes.count
            } catch {
                failure = error
                return false
            }
        }
        guard isMade else {
            throw failure ?? ChaosError("\(Self.remade) was made again, and not every broker knows it")
        }
        try writer.repeatConfigurations()
    }

    /// The brokers that say who leads the topic.
    private var knowingNodes: [Int] {
        cluster.nodes.indices.filter {
            Kcat(bootstrap: "127.0.0.1:\(cluster.nodes[$0].port)").leader(of: 0, in: Self.remade) != nil
        }
    }

    /// A broker that goes meanwhile may take the answer with it: then the topic is gone all the same.
    private func deleteConfigurations() throws {
        do {
            _ = try script([
                "tool", "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", cluster.bootstrap, "--delete",
                "--topic", Self.remade,
            ])
        } catch let error as TestBrokerError where "\(error)".contains("does not exist as expected") {
            say("\(Self.remade) was gone already")
        }
    }
}
