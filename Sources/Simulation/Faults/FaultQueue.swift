package import RecordLog

/// Calls of `TransactionalProducer`. All but the last line can be made to fail.
package enum TransactionalCall: String, Hashable, Sendable {
    case initialise, produce, sendOffsets, commit, abort
    case makeTransactionalProducer, begin, destroy
}

/// Calls of the other ports. All but the last two lines can be made to fail. A poll does not throw: its failure is in
/// the batch.
package enum LogCall: String, Hashable, Sendable {
    case poll, committed, watermarks, seek, plainProduce, reportingProduce
    case connect, describeTopics, createTopic, deleteRecords, startOffsets, endOffsets, committedOffsets, describeGroup
    case makeConsumer, makePlainProducer, makeReportingProducer, makeAdmin
    case subscribe, assign, unassign, groupMetadata, close, flush, background
}

/// When a call fails: without having done anything, or after it was done and only the answer is lost.
package enum FaultMoment: String, Hashable, Sendable {
    case beforeEffect, afterEffect
}

/// A failure that was ordered; for `MemoryCluster.timesFired(_:)`.
package struct Fault: Hashable, Sendable, CustomStringConvertible {
    fileprivate var number: Int
    package var description: String
}

/// Failures that wait for their calls, first ordered first served.
struct FaultQueue<Call: Hashable & Sendable, Failure: Error>: Sendable {
    /// Those that have not fired as often as ordered.
    private var orders: [Order] = []
    /// How often each has fired, by its number.
    private var fired: [Int: Int] = [:]

    private struct Order: Sendable {
        var fault: Fault
        var call: Call
        var failure: Failure
        var moment: FaultMoment
        var client: String?
        var remaining: Int
    }

    mutating func add(
        number: Int, _ failure: Failure, call: Call, moment: FaultMoment, times: Int, client: String?
    ) -> Fault {
        precondition(times > 0)
        let fault = Fault(number: number, description: "\(call) \(moment): \(failure)")
        fired[number] = 0
        orders.append(
            Order(fault: fault, call: call, failure: failure, moment: moment, client: client, remaining: times))
        return fault
    }

    mutating func next(_ call: Call, _ moment: FaultMoment, client: String?) -> Failure? {
        let order = orders.firstIndex { order in
            order.call == call && order.moment == moment && (order.client == nil || order.client == client)
        }
        guard let order else { return nil }
        let failure = orders[order].failure
        fired[orders[order].fault.number]! += 1
        orders[order].remaining -= 1
        if orders[order].remaining == 0 { orders.remove(at: order) }
        return failure
    }

    /// How often a fault has fired; `nil` if it belongs to another queue.
    func fired(_ fault: Fault) -> Int? { fired[fault.number] }

    var pending: [Fault] { orders.map(\.fault) }

    mutating func cancel() {
        orders = []
    }
}

extension MemoryCluster {
    /// The next calls of this kind fail.
    ///
    /// - Parameters:
    ///   - times: how many of them.
    ///   - client: only those of ports with this client id; admins have none.
    @discardableResult
    package func inject(
        _ error: TransactionError, into call: TransactionalCall, _ moment: FaultMoment = .beforeEffect, times: Int = 1,
        client: String? = nil
    ) -> Fault {
        withBroker { broker in
            let number = broker.nextSerial()
            return broker.transactionFaults.add(
                number: number, error, call: call, moment: moment, times: times, client: client)
        }
    }

    @discardableResult
    package func inject(
        _ error: LogError, into call: LogCall, _ moment: FaultMoment = .beforeEffect, times: Int = 1,
        client: String? = nil
    ) -> Fault {
        withBroker { broker in
            let number = broker.nextSerial()
            return broker.logFaults.add(number: number, error, call: call, moment: moment, times: times, client: client)
        }
    }

    package func timesFired(_ fault: Fault) -> Int {
        withBroker { $0.transactionFaults.fired(fault) ?? $0.logFaults.fired(fault) ?? 0 }
    }

    /// Faults that have not fired as often as ordered: a test that ends with some has not tested what it meant to.
    package var pendingFaults: [Fault] {
        withBroker { ($0.transactionFaults.pending + $0.logFaults.pending).sorted { $0.number < $1.number } }
    }

    /// Takes back what has not fired.
    package func cancelFaults() {
        withBroker { broker in
            broker.transactionFaults.cancel()
            broker.logFaults.cancel()
        }
    }
}
