/// The work of a task, counted within the transaction and added up when the transaction is committed.
package struct TaskCounters: Hashable, Sendable {
    /// Records of the sources. A forwarded record counts at the task that read it.
    package var records = 0
    package var forwarded = 0
    /// The records that were written, by the index of their `OutputName`.
    private var outputs: [Int] = []
    /// The named counters, by the index of their `CounterName`.
    private var named: [Int] = []
    /// The counters whose names and labels only data decides.
    package var labelled: [CounterKey: Int] { counts.all }
    private var counts = LabelledCounts()

    /// Counters that others are added to.
    package init() {}

    /// Counters of one task.
    package init(of topology: Topology) {
        outputs = Array(repeating: 0, count: topology.outputs.count)
        named = Array(repeating: 0, count: topology.counters)
    }

    /// The records that were written to an output.
    package subscript(output: OutputName) -> Int {
        get { output.index < outputs.count ? outputs[output.index] : 0 }
        set { outputs[output.index] = newValue }
    }

    package subscript(name: CounterName) -> Int {
        get { name.index < named.count ? named[name.index] : 0 }
        set { named[name.index] = newValue }
    }

    /// Adds what another task of the same topology counted.
    package mutating func add(_ other: TaskCounters) {
        records += other.records
        forwarded += other.forwarded
        outputs.add(other.outputs)
        named.add(other.named)
        counts.add(other.counts)
    }

    /// Adds to the counter of a name and two labels.
    package mutating func add(_ amount: Int, to name: String, _ label: String, _ other: String) {
        counts.add(amount, to: name, label, other)
    }

    package mutating func reset() {
        records = 0
        forwarded = 0
        for index in outputs.indices { outputs[index] = 0 }
        for index in named.indices { named[index] = 0 }
        counts.reset()
    }
}

extension [Int] {
    /// Adds index by index. Counters that have counted nothing yet may be shorter than others, or empty.
    fileprivate mutating func add(_ other: [Int]) {
        if count < other.count { self += repeatElement(0, count: other.count - count) }
        for index in other.indices { self[index] += other[index] }
    }
}
