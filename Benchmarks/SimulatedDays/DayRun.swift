import Foundation
import Messages
import Pipeline
package import RecordLog
import StreamCore
import Timelines

/// Reads what a day's tasks wrote, instant by instant.
package protocol DayObserver: AnyObject {
    /// The value of a record of `timelines`; nil: a tombstone.
    func timeline(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, headers: [Header], at: Instant)

    /// The value of a record of `timeline.reloads`.
    func reload(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, headers: [Header], at: Instant)

    /// All of this instant has been told.
    func endInstant(_ at: Instant)
}

/// A day, played from its first record to its end.
package struct DayRun {
    package private(set) var cost = Cost()
    /// The instants at which anything happened.
    package private(set) var steps = 0
    package private(set) var transactions = 0
    package private(set) var deadLetters = 0
    /// How many interruptions struck.
    package private(set) var interruptions = 0

    /// CPU seconds of this thread.
    package struct Cost {
        /// Everything that the tasks did, reading, making and writing records and state included.
        package var tasks = 0.0
        package var observers = 0.0
        /// Drawing and writing what comes in.
        package var inputs = 0.0
    }

    /// - Parameters:
    ///   - interruptions: nil: nothing is ever restored.
    ///   - handsOverValues: as `Topology.handsOverValues`.
    package init(
        _ day: FleetDay, partitions: Int32 = 8, interruptions: Interruptions? = nil, handsOverValues: Bool = true,
        observers: [any DayObserver]
    ) {
        var settings = PipelineSettings()
        settings.kinds = WidgetKinds(FleetDay.kinds)
        var topology = Topology.widgets(settings)
        topology.handsOverValues = handsOverValues
        let tasks = VirtualTasks(topology, partitions: partitions, keepsChangelogs: interruptions != nil)
        play(day, tasks, interruptions, settings.topics, observers)
        transactions = tasks.transactions
    }

    private mutating func play(
        _ day: FleetDay, _ tasks: VirtualTasks, _ interruptions: Interruptions?, _ topics: TopicNames,
        _ observers: [any DayObserver]
    ) {
        var interruptions = interruptions
        var next = 0
        var watch = CPUWatch()
        while true {
            let input = next < day.inputCount ? day.instant(of: next) : nil
            guard let now = [input, tasks.nextDue].compactMap({ $0 }).min(), now <= day.end else { break }
            var inputs: [FleetDay.Input] = []
            while next < day.inputCount, day.instant(of: next) == now {
                inputs.append(day[next])
                next += 1
            }
            cost.inputs += watch.lap()
            tasks.step(at: now, inputs, interruption: interruptions?.strike(at: now))
            steps += 1
            cost.tasks += watch.lap()
            tell(tasks.outputs, topics, observers, at: now)
            tasks.outputs.removeAll()
            cost.observers += watch.lap()
        }
        self.interruptions = interruptions?.struck ?? 0
    }

    private mutating func tell(
        _ outputs: OutputBuffer, _ topics: TopicNames, _ observers: [any DayObserver], at now: Instant
    ) {
        outputs.forEach { entry, key, value in
            guard let key else { preconditionFailure("Every output has a key.") }
            switch entry.topic {
            case topics.timelines:
                for observer in observers { observer.timeline(key: key, value, headers: entry.headers, at: now) }
            case topics.reloads:
                guard let value else { preconditionFailure("A reload has a value.") }
                for observer in observers { observer.reload(key: key, value, headers: entry.headers, at: now) }
            default: deadLetters += 1
            }
        }
        for observer in observers { observer.endInstant(now) }
    }
}

/// What this thread has computed since the last look.
private struct CPUWatch {
    private var last = Self.seconds()

    mutating func lap() -> Double {
        let now = Self.seconds()
        defer { last = now }
        return now - last
    }

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
