import Foundation
import Observability
import RdKafka
import RecordLog
import StreamRuntime
import Synchronization

extension BrokerWatch {
    /// The result of a round for a suspect: it is lost, or no longer a suspect.
    private enum Finding {
        case lost(reason: String)
        case back(after: Duration, withheld: Int)
        /// The cluster goes on without it.
        case absent(after: Duration, reason: String, withheld: Int, isBroker: Bool)
        case stillAbsent(withheld: Int)
    }

    /// Asks each suspect once, and logs what has changed.
    ///
    /// - Returns: true if a suspect is left.
    func round() -> Bool {
        let (addresses, others) = state.withLock { state in
            let others = state.brokers.union(bootstrap).subtracting(state.suspects.keys)
            return (state.suspects.keys.sorted(), others.sorted())
        }
        var answers: [String: ClusterView] = [:]
        for address in addresses { answers[address] = ports.ask(address) }
        // If no suspect answers, another broker must say which brokers belong to the cluster.
        var view = addresses.compactMap { answers[$0] }.first
        for address in others where view == nil { view = ports.ask(address) }
        let now = ports.now()
        let (findings, goesOn) = state.withLock { state in
            if let view { state.brokers.formUnion(view.brokers) }
            var findings: [(String, Finding)] = []
            for address in addresses {
                let isBack = answers[address] != nil
                guard let finding = Self.judge(address, isBack, view, bootstrap: bootstrap, &state, now) else {
                    continue
                }
                findings.append((address, finding))
            }
            state.isWatching = !state.suspects.isEmpty
            return (findings, state.isWatching)
        }
        for (address, finding) in findings { log(finding, of: address) }
        return goesOn
    }

    private static func judge(
        _ address: String, _ hasAnswered: Bool, _ view: ClusterView?, bootstrap: [String], _ state: inout State,
        _ now: Duration
    ) -> Finding? {
        guard let suspect = state.suspects[address] else { return nil }
        let time = now - suspect.since
        if hasAnswered {
            state.suspects[address] = nil
            state.absent[address] = nil
            // Only one connection broke: that is no outage.
            guard suspect.isLost else { return nil }
            state.echoes[address] = now + echo
            return .back(after: time, withheld: removeWithheld(suspect, &state))
        }
        guard time >= grace else { return nil }
        let isBroker = !bootstrap.contains(address) || state.brokers.contains(address)
        if let view, !view.brokers.contains(address), view.hasAllLeaders || !isBroker {
            state.suspects[address] = nil
            let known = state.absent.updateValue(Absent(foundAt: now), forKey: address)
            if let known, !suspect.isLost { return .stillAbsent(withheld: known.withheld + suspect.withheld) }
            let withheld = removeWithheld(suspect, &state)
            return .absent(after: time, reason: suspect.reason, withheld: withheld, isBroker: isBroker)
        }
        if suspect.isLost { return nil }
        let fault = BrokerFault(address: address, reason: suspect.reason)
        state.suspects[address]?.isLost = true
        state.suspects[address]?.isRefusalTold = fault.isRefusal
        return .lost(reason: suspect.reason)
    }

    /// Removes and returns the number of withheld lines: of this suspect, and of lines that name no broker.
    private static func removeWithheld(_ suspect: Suspect, _ state: inout State) -> Int {
        defer { state.withheld = 0 }
        return suspect.withheld + state.withheld
    }

    private func log(_ finding: Finding, of address: String) {
        var metadata: Logger.Metadata = ["broker": .string(address)]
        switch finding {
        case .lost(let reason): logLost(address, reason)
        case .back(let time, let withheld):
            metadata["awayMs"] = .milliseconds(time)
            if withheld > 0 { metadata["withheldLines"] = .number(withheld) }
            logger.notice("broker answers again after \(time.shortText)", metadata: metadata)
        case .absent(let time, let reason, let withheld, let isBroker):
            metadata["awayMs"] = .milliseconds(time)
            if withheld > 0 { metadata["withheldLines"] = .number(withheld) }
            if isBroker {
                logger.notice("broker has left the cluster; going on with the others", metadata: metadata)
            } else {
                logger.warning(
                    "bootstrap host does not answer: \(reason); going on with the brokers that do",
                    metadata: metadata)
            }
        case .stillAbsent(let withheld):
            metadata["withheldLines"] = .number(withheld)
            logger.debug("a host that the cluster does without does not answer yet", metadata: metadata)
        }
    }
}

extension BrokerWatch {
    /// Makes a watch that asks brokers through handles of its own, with the same properties and without a log.
    ///
    /// - Parameter topics: the program's topics, whose leaders show whether a broker is missed.
    convenience init(_ logger: Logger, _ kafka: RdKafkaSettings, topics: [String]) {
        let ports = Ports(
            now: { WallClock.uptime() },
            ask: { address in Self.ask(address, kafka, topics) },
            start: { watch in
                let thread = Thread(block: watch)
                thread.name = "broker-watch"
                thread.start()
            },
            pause: { pause(.milliseconds(250)) })
        self.init(logger, bootstrap: kafka.bootstrapServers, ports: ports)
    }

    private static func ask(_ address: String, _ kafka: RdKafkaSettings, _ topics: [String]) -> ClusterView? {
        var probe = kafka
        probe.bootstrapServers = address
        probe.log = nil
        probe.statistics = nil
        guard let found = try? RdKafkaCluster(probe).members(leading: topics, timeout: .seconds(1)) else { return nil }
        return ClusterView(brokers: Set(found.brokers), hasAllLeaders: found.hasAllLeaders)
    }
}
