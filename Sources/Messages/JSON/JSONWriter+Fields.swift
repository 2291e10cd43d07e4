package import Timelines

/// Each function writes a field of the open object, key and value. It writes nothing if the value is `nil`.
extension JSONWriter {
    package mutating func string(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    package mutating func bool(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bool(value)
    }

    package mutating func integer(_ name: StaticString, _ value: (some FixedWidthInteger & SignedInteger)?) {
        guard let value else { return }
        key(name)
        integer(value)
    }

    package mutating func number(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        key(name)
        number(value)
    }

    package mutating func instant(_ name: StaticString, _ value: Instant?) {
        guard let value else { return }
        key(name)
        instant(value)
    }

    package mutating func date(_ name: StaticString, _ value: LocalDate?) {
        guard let value else { return }
        key(name)
        date(value)
    }

    package mutating func strings(_ name: StaticString, _ values: [String]?) {
        guard let values else { return }
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
