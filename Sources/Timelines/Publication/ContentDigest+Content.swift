extension ContentDigest.Digest {
    init(_ feed: (inout FNV1a128) -> Void) {
        var digest = FNV1a128()
        feed(&digest)
        self.init(high: digest.high, low: digest.low)
    }
}

extension FNV1a128 {
    /// All that an entry shows: everything but its id and date, and of its vehicle when that was observed.
    mutating func addContent(of entry: TimelineEntry) {
        add(entry.phase.rawValue)
        add(entry.event) { $0.add($1) }
        add(entry.ongoing) { digest, ongoing in
            digest.add(Int64(ongoing.count))
            for occurrence in ongoing { digest.add(occurrence) }
        }
        add(entry.next) { $0.add($1) }
        add(entry.isTentative)
        add(entry.vehicle) { $0.add($1) }
        add(entry.values) { digest, values in
            digest.add(Int64(values.count))
            for value in values {
                digest.add(value.name)
                digest.add(value.value)
            }
        }
        add(entry.message) { digest, message in
            digest.add(message.text)
            digest.add(message.code.rawValue)
        }
        add(entry.isSample)
        add(entry.relevance) { digest, relevance in
            digest.add(relevance.score)
            digest.add(relevance.duration) { $0.add($1) }
        }
        add(entry.parameters)
    }

    /// The fields of an event as the contract's timelines have them; its lead and vehicle show only in what they do.
    private mutating func add(_ occurrence: Occurrence) {
        add(occurrence.calendarId)
        add(occurrence.uid)
        add(occurrence.recurrenceId) { $0.add($1) }
        add(occurrence.title)
        add(occurrence.location) { $0.add($1) }
        switch occurrence.when {
        case .timed(let start, let end):
            add(Occurrence.Moment.instant(start))
            add(Occurrence.Moment.instant(end))
        case .allDay(let start, let end):
            add(Occurrence.Moment.date(start))
            add(Occurrence.Moment.date(end))
        }
    }

    private mutating func add(_ moment: Occurrence.Moment) {
        switch moment {
        case .instant(let instant):
            add(true)
            add(instant.milliseconds)
        case .date(let date):
            add(false)
            add(Int64(date.dayNumber))
        }
    }

    private mutating func add(_ vehicle: TimelineEntry.VehicleView) {
        add(vehicle.vehicleId)
        add(vehicle.registration) { $0.add($1) }
        add(vehicle.alias) { $0.add($1) }
        add(vehicle.status) { $0.add($1) }
        add(vehicle.speed) { $0.add(wholeNumber($1)) }
        add(vehicle.location) { $0.add($1) }
        if vehicle.location == nil {
            // Only where the location does not say the place already, be it by an address or by coordinates.
            add(vehicle.latitude) { $0.add(hundredThousandths($1)) }
            add(vehicle.longitude) { $0.add(hundredThousandths($1)) }
        }
        add(vehicle.customAddressIcon) { $0.add($1) }
    }

    private mutating func add(_ number: Double) {
        add(Int64(bitPattern: (number == 0 ? 0 : number).bitPattern))
    }

    private mutating func add(_ parameters: Parameters) {
        add(Int64(parameters.members.count))
        for member in parameters.members {
            add(member.key)
            add(member.value)
        }
    }

    private mutating func add(_ value: ParameterValue) {
        switch value {
        case .null: add(0 as UInt8)
        case .bool(let bool): add(bool ? 2 : 1 as UInt8)
        case .number(let text):
            add(3 as UInt8)
            add(text)
        case .string(let text):
            add(4 as UInt8)
            add(text)
        case .array(let values):
            add(5 as UInt8)
            add(Int64(values.count))
            for value in values { add(value) }
        case .object(let members):
            add(6 as UInt8)
            add(members)
        }
    }
}
