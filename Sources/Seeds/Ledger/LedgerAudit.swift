import RecordLog

/// What the committed records tell of what `LedgerProcessor` did, and what of it is wrong.
struct LedgerAudit {
    /// By serial number: how often the record was applied.
    private var applied: [Int64: Int] = [:]
    /// `from→to`: messages sent, and the number of the last one received.
    private var sent: [String: Int64] = [:]
    private var received: [String: Int64] = [:]
    /// By entity: records applied as its task's state says, and as the outputs say.
    private var counts: [String: Int64] = [:]
    private var emitted: [String: Int64] = [:]
    private var totals: [String: (version: Int64, count: Int64)] = [:]
    private var rung: [String: Int64] = [:]
    /// Each ring: its entity, the records that were applied by then, and its time.
    private var rings: [(entity: String, total: Int64, at: Instant)] = []
    /// What no later record can make good, as it was seen.
    private(set) var violations: [Symptom] = []

    mutating func take(_ record: Record, of topics: LedgerTopics) {
        let text = Self.text(record.value)
        let key = Self.text(record.key)
        switch record.topic {
        case topics.applied:
            let serial = Int64(text) ?? -1
            applied[serial, default: 0] += 1
            emitted[key, default: 0] += 1
            if applied[serial] == 2 { violations.append(Symptom(.appliedTwice, "input \(serial) of \(key)")) }
        case topics.violations: violations.append(Symptom(.outOfOrder, text))
        case topics.totals: takeTotal(text, of: key)
        case topics.rung:
            let numbers = text.split(separator: " ").compactMap { Int64($0) }
            rung[key, default: 0] += numbers[0]
            rings.append((key, numbers[1], Instant(milliseconds: numbers[2])))
        default: takeState(record)
        }
    }

    private mutating func takeTotal(_ text: String, of entity: String) {
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        let (version, count) = (numbers[0], numbers[1])
        let before = totals[entity] ?? (0, 0)
        if version != before.version + 1 {
            violations.append(Symptom(.revision, "\(entity) has version \(version) after \(before.version)"))
        }
        if count <= before.count {
            violations.append(Symptom(.sameTwice, "\(entity) has \(count) again in version \(version)"))
        }
        totals[entity] = (version, count)
    }

    private mutating func takeState(_ record: Record) {
        guard let store = record.key?.first, store > 0, let value = record.value, value.count >= 8 else { return }
        let name = Self.text(record.key.map { Array($0[1...]) })
        // A versioned value begins with its version, and its number is the last thing in it.
        let number = value.suffix(8).withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
        switch store & 0x7f {
        case 1: counts[name] = number
        case 2: sent["\(record.partition)→\(name)"] = number
        case 3: received["\(name)→\(record.partition)"] = number
        default: break
        }
    }

    /// True if every one of the inputs has left all its traces; it says nothing of what came twice.
    func isComplete(inputs: [Int64]) -> Bool {
        inputs.allSatisfy { applied[$0] != nil } && sent == received && rung == emitted
    }

    /// Timers of a task that was taken over wait for what it has to read: a ring knows of all records that had waited
    /// for some seconds.
    func earlyRings(_ inputs: [Record]) -> [Symptom] {
        let times = Dictionary(grouping: inputs) { Self.text($0.key) }.mapValues { $0.map(\.timestamp).sorted() }
        for ring in rings {
            let known = times[ring.entity, default: []].prefix { $0 < ring.at - .seconds(5) }.count
            if known > ring.total {
                return [Symptom(.neverWas, "\(ring.entity) rang for \(ring.total) records of \(known)")]
            }
        }
        return []
    }

    /// - Parameter inputs: the serial numbers that stand in the log.
    func symptoms(inputs: [Int64]) -> [Symptom] {
        var found: [Symptom] = []
        let missing = inputs.filter { applied[$0] == nil }
        if !missing.isEmpty {
            found.append(Symptom(.lost, "\(missing.count) inputs, the first \(missing.prefix(3))"))
        }
        if emitted != counts.filter({ $0.value > 0 }) {
            found.append(Symptom(.diverged, "counts of the state are not those of the outputs"))
        }
        if sent != received { found.append(Symptom(.messageLost, "sent \(sum(sent)), received \(sum(received))")) }
        if rung != emitted { found.append(Symptom(.timerLost, "rung \(sum(rung)) of \(sum(emitted))")) }
        for (entity, total) in totals.sorted(by: { $0.key < $1.key }) where total.count != emitted[entity] {
            found.append(Symptom(.stale, "the total of \(entity) is \(total.count) of \(emitted[entity] ?? 0)"))
        }
        return found
    }

    private func sum(_ numbers: [String: Int64]) -> Int64 { numbers.values.reduce(0, +) }

    private static func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
}

/// The topics that a ledger is judged by.
struct LedgerTopics {
    var applied = LedgerTopology.outputs[0]
    var violations = LedgerTopology.outputs[1]
    var totals = LedgerTopology.outputs[2]
    var rung = LedgerTopology.outputs[3]
    var state: String
}
