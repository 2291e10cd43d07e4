package import RecordLog
import SplitMix
import Timelines

/// What comes in on a day, drawn from a seed: configurations and master data in the minute before it begins, then
/// changes of status at random instants, some of which are taken back within seconds or minutes.
package struct FleetDay {
    package let seed: UInt64
    package let scale: Scale
    /// Midnight, UTC. The first records come a minute earlier.
    package let start: Instant
    /// So long after the last change, what was held has gone out: a bucket gets a token at least every two hours.
    package let end: Instant
    let widgets: [Widget]
    /// By instant, of one instant in the order in which they are sent.
    private let inputs: [Planned]

    package struct Scale: Sendable {
        package var vehicles: Int
        package var changesPerVehicle: Int
        package var hours: Int64
        /// Changes come at whole multiples of so many milliseconds: with more than one, many things happen at once.
        package var grid: Int64

        package init(vehicles: Int, changesPerVehicle: Int = 60, hours: Int64 = 24, grid: Int64 = 1) {
            self.vehicles = vehicles
            self.changesPerVehicle = changesPerVehicle
            self.hours = hours
            self.grid = grid
        }
    }

    /// A record on its way in: its topic by the number of its source in the topology.
    package struct Input {
        package var at: Instant
        package var source: Int
        package var key: String
        /// `nil` for a tombstone.
        package var value: String?
        /// It lies in another partition than Java's partitioner puts it into.
        package var isMisplaced: Bool
    }

    /// What is kept of an input until its time comes.
    struct Planned {
        var at: Instant
        var message: Message
        var isMisplaced: Bool
    }

    enum Message {
        case masterData(vehicle: Int32)
        case telemetry(vehicle: Int32, VehicleMoment)
        case widget(Int32, signedIn: Bool)
        case event(calendar: Int32, number: Int32, version: Int32)
    }

    package init(seed: UInt64, scale: Scale) {
        guard let start = Instant(rfc3339: "2026-03-02T00:00:00Z") else { preconditionFailure("an instant") }
        self.seed = seed
        self.scale = scale
        self.start = start
        end = start + .hours(scale.hours + 2)
        var numbers = SplitMix64(seed: seed)
        widgets = Self.widgets(scale, &numbers)
        inputs = Self.inputs(widgets, scale, from: start, &numbers)
    }

    package var inputCount: Int { inputs.count }

    /// How many changes of status there are, those that are taken back and those that take back included.
    package var statusChanges: Int { scale.vehicles * scale.changesPerVehicle }

    package var configurations: Int { widgets.count }

    package subscript(_ index: Int) -> Input {
        let planned = inputs[index]
        let (source, key, value) = text(of: planned.message, at: planned.at)
        return Input(at: planned.at, source: source, key: key, value: value, isMisplaced: planned.isMisplaced)
    }

    package func instant(of index: Int) -> Instant { inputs[index].at }
}

extension FleetDay.Input {
    /// Where it lies among so many partitions.
    package func partition(of partitions: Int32) -> Partition {
        Murmur2.partition(of: key, partitions: partitions).advanced(by: isMisplaced ? 1 : 0) % partitions
    }
}
