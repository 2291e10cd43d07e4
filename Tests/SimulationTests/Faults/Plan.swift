import RecordLog
import Simulation
import Synchronization
import Testing

/// Lets what was ordered happen, each order so many times, in the order of the orders.
final class Plan: FaultPlan {
    private let orders: Mutex<[Order]>
    private let asked = Mutex<[Opportunity]>([])

    struct Order: Sendable {
        var kind: FaultKind
        var length: Duration
        var call: PortCall?
        var moment: FaultMoment?
        var process: String?
        var times: Int
    }

    init(_ orders: [Order]) {
        self.orders = Mutex(orders)
    }

    func length(of kind: FaultKind, at opportunity: Opportunity) -> Duration? {
        asked.withLock { $0.append(opportunity) }
        return orders.withLock { orders in
            let index = orders.firstIndex { order in
                order.kind == kind && order.times > 0 && order.call ?? opportunity.call == opportunity.call
                    && order.moment ?? opportunity.moment == opportunity.moment
                    && order.process ?? opportunity.process == opportunity.process
            }
            guard let index else { return nil }
            orders[index].times -= 1
            return orders[index].length
        }
    }

    var opportunities: [Opportunity] { asked.withLock { $0 } }
}

extension Plan.Order {
    static func order(
        _ kind: FaultKind, _ length: Duration = .zero, at call: PortCall? = nil, _ moment: FaultMoment? = nil,
        of process: String? = nil, times: Int = 1
    ) -> Plan.Order {
        Plan.Order(kind: kind, length: length, call: call, moment: moment, process: process, times: times)
    }
}

extension MemoryCluster {
    /// Follows a plan of these orders.
    @discardableResult
    func plan(_ orders: Plan.Order...) -> Plan {
        let plan = Plan(orders)
        follow(plan, kinds: Set(orders.map(\.kind)))
        return plan
    }

    /// What a call throws, and how long it takes by the cluster's clock: `done after 200 ms`.
    func timed(_ call: () throws -> Void) -> String {
        let began = now
        let result = outcome(call)
        return "\(result) after \((now - began).milliseconds) ms"
    }

    func count(_ kind: FaultKind) -> Int { timesHappened(kind) }
}

/// A cluster with a topic, its clock, and what most tests of faults need.
struct Stage {
    let clock = ManualClock()
    let cluster: MemoryCluster
    let place = TopicPartition("t", 0)

    init(partitions: Int32 = 2, callsWait: Bool = true, _ change: (inout MemoryCluster.Settings) -> Void = { _ in }) {
        var settings = MemoryCluster.Settings()
        settings.callsWait = callsWait
        change(&settings)
        cluster = MemoryCluster(clock: clock, settings: settings)
        cluster.createTopic("t", partitions: partitions)
    }

    /// A producer of a process, with an open transaction.
    func open(_ id: String = "id", in process: MemoryProcess? = nil) throws -> any TransactionalProducer {
        let ports: any Cluster = process ?? cluster
        let producer = try ports.makeTransactionalProducer(transactionalId: id, clientId: "client")
        try producer.initialise(timeout: .seconds(1))
        try producer.begin()
        return producer
    }

    func member(_ process: MemoryProcess, group: String = "g") throws -> Member {
        try Member(ports: process, process.name, group: group)
    }
}
