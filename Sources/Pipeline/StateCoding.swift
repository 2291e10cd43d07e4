import StreamCore
import Timelines

// The stored form of Timelines' values. A field is only ever added behind a new version of the value that holds it.

extension ByteWriter {
    mutating func write(_ revision: Revision) { write(revision.rawValue) }

    mutating func write(_ date: LocalDate) { write(Int64(date.dayNumber)) }

    mutating func write(_ duration: CalendarDuration) {
        write(Int64(duration.days))
        write(duration.time.milliseconds)
    }

    mutating func write(_ vehicle: Vehicle) {
        write(vehicle.vehicleId)
        write(optional: vehicle.registration)
        write(optional: vehicle.alias)
        write(optional: vehicle.customAddressIcon)
        write(vehicle.status.map { $0.number } ?? 0)
        write(optional: vehicle.speed)
        write(optional: vehicle.latitude)
        write(optional: vehicle.longitude)
        write(optional: vehicle.heading)
        write(optional: vehicle.address)
        write(optional: vehicle.observedAt)
        write(list: vehicle.series) { writer, series in
            writer.write(series.name)
            writer.write(list: series.points) { writer, point in
                writer.write(point.at)
                writer.write(point.value)
            }
        }
    }

    mutating func write(_ moment: Occurrence.Moment) {
        switch moment {
        case .instant(let instant):
            write(false)
            write(instant)
        case .date(let date):
            write(true)
            write(date)
        }
    }

    mutating func write(_ occurrence: Occurrence) {
        write(occurrence.calendarId)
        write(occurrence.uid)
        write(optional: occurrence.recurrenceId) { $0.write($1) }
        write(occurrence.title)
        write(optional: occurrence.location)
        switch occurrence.when {
        case .timed(let start, let end):
            write(Occurrence.Moment.instant(start))
            write(Occurrence.Moment.instant(end))
        case .allDay(let start, let end):
            write(Occurrence.Moment.date(start))
            write(Occurrence.Moment.date(end))
        }
        write(occurrence.isTentative)
        write(optional: occurrence.preEventLead) { $0.write($1) }
        write(optional: occurrence.vehicleId)
    }

    mutating func write(_ digest: ContentDigest) {
        write(digest.subject)
        write(list: digest.entries) { writer, entry in
            writer.write(entry.date)
            writer.write(entry.content)
            writer.write(entry.isStale)
        }
        write(optional: digest.nextUpdate)
    }

    private mutating func write(_ digest: ContentDigest.Digest) {
        write(digest.high)
        write(digest.low)
    }
}

extension ByteWriter {
    /// FNV-1a of what was written: the same in every process.
    var digest: UInt64 {
        withUnsafeBytes { bytes in
            bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }
    }
}

extension ByteReader {
    mutating func revision() throws(CorruptBytes) -> Revision { Revision(try int64()) }

    mutating func date() throws(CorruptBytes) -> LocalDate { LocalDate(dayNumber: Int(try int64())) }

    mutating func duration() throws(CorruptBytes) -> CalendarDuration {
        let days = Int(try int64())
        return CalendarDuration(days: days, time: ElapsedTime(milliseconds: try int64()))
    }

    mutating func vehicle() throws(CorruptBytes) -> Vehicle {
        var vehicle = Vehicle(vehicleId: try string())
        vehicle.registration = try optionalString()
        vehicle.alias = try optionalString()
        vehicle.customAddressIcon = try optionalString()
        vehicle.status = try VehicleStatus(number: byte())
        vehicle.speed = try optionalDouble()
        vehicle.latitude = try optionalDouble()
        vehicle.longitude = try optionalDouble()
        vehicle.heading = try optionalDouble()
        vehicle.address = try optionalString()
        vehicle.observedAt = try optionalInstant()
        vehicle.series = try list { reader throws(CorruptBytes) in
            let name = try reader.string()
            let points = try reader.list { reader throws(CorruptBytes) in
                let at = try reader.instant()
                return Vehicle.Point(at: at, value: try reader.double())
            }
            return Vehicle.Series(name: name, points: points)
        }
        return vehicle
    }

    mutating func moment() throws(CorruptBytes) -> Occurrence.Moment {
        try bool() ? .date(try date()) : .instant(try instant())
    }

    mutating func occurrence() throws(CorruptBytes) -> Occurrence {
        let calendarId = try string()
        let uid = try string()
        let recurrenceId = try bool() ? try moment() : nil
        let title = try string()
        let location = try optionalString()
        let when: Occurrence.Extent
        switch (try moment(), try moment()) {
        case (.instant(let start), .instant(let end)): when = .timed(start: start, end: end)
        case (.date(let start), .date(let end)): when = .allDay(start: start, end: end)
        default: throw CorruptBytes("an occurrence that is half all-day")
        }
        let isTentative = try bool()
        let preEventLead = try bool() ? try duration() : nil
        return Occurrence(
            calendarId: calendarId, uid: uid, recurrenceId: recurrenceId, title: title, location: location,
            when: when, isTentative: isTentative, preEventLead: preEventLead, vehicleId: try optionalString())
    }

    mutating func contentDigest() throws(CorruptBytes) -> ContentDigest {
        let subject = try digest()
        let entries = try list { reader throws(CorruptBytes) in
            let date = try reader.instant()
            let content = try reader.digest()
            return ContentDigest.Entry(date: date, content: content, isStale: try reader.bool())
        }
        return ContentDigest(subject: subject, entries: entries, nextUpdate: try optionalInstant())
    }

    private mutating func digest() throws(CorruptBytes) -> ContentDigest.Digest {
        let high = try uint64()
        return ContentDigest.Digest(high: high, low: try uint64())
    }
}

extension VehicleStatus {
    /// The stored number; 0 stands for none.
    var number: UInt8 {
        switch self {
        case .moving: 1
        case .idling: 2
        case .stopped: 3
        case .ignitionOff: 4
        case .charging: 5
        case .offline: 6
        }
    }

    init?(number: UInt8) throws(CorruptBytes) {
        if number == 0 { return nil }
        guard let status = VehicleStatus.allCases.first(where: { $0.number == number }) else {
            throw CorruptBytes("unknown vehicle status \(number)")
        }
        self = status
    }
}
