extension ContentDigest.Digest {
    init(_ feed: (inout FNV1a128) -> Void) {
        var digest = FNV1a128()
        feed(&digest)
        self.init(high: digest.high, low: digest.low)
    }
}

extension FNV1a128 {
    /// Adds everything that an entry shows: all but its id, its date, and the instant at which its vehicle was
    /// observed.
    mutating func addContent(of entry: TimelineEntry) {
        add(entry.phase.rawValue)
        add(entry.heldEvent) { $0.add($1.value) }
        add(entry.ongoing) { digest, ongoing in
            digest.add(Int64(ongoing.count))
            for occurrence in ongoing { digest.add(occurrence) }
        }
        add(entry.heldNext) { $0.add($1.value) }
        add(entry.isTentative)
        add(entry.heldVehicle) { $0.add($1.value) }
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

    /// Adds the fields of an event that timelines have; its lead and vehicle show only in what they do.
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

/// FNV-1a with 128 bits: a digest that is the same in every process, unlike Swift's `Hasher`. Not for secrets.
struct FNV1a128 {
    private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    var high: UInt64 { UInt64(truncatingIfNeeded: state >> 64) }
    var low: UInt64 { UInt64(truncatingIfNeeded: state) }

    mutating func add(_ byte: UInt8) {
        state = (state ^ UInt128(byte)) &* FNV1a128.prime
    }

    /// Adds a text with its length first, so that neighbouring texts cannot trade letters.
    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            add(Int64(bytes.count))
            for byte in bytes { add(byte) }
        }
    }

    mutating func add(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        // Small numbers are frequent: as many bytes as needed, seven bits each.
        while rest >= 0x80 {
            add(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        add(UInt8(truncatingIfNeeded: rest))
    }

    mutating func add(_ bool: Bool) {
        add(bool ? 1 : 0 as UInt8)
    }

    /// Adds a value that may be absent; `nil` differs from every value.
    mutating func add<Value>(_ value: Value?, _ add: (inout FNV1a128, Value) -> Void) {
        self.add(value != nil)
        if let value { add(&self, value) }
    }
}
