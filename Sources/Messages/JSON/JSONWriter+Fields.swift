package import Timelines

/// Each function writes a field of the open object, key and value. It writes nothing if the value is `nil`.
extension JSONWriter {
    package mutating func string(_ name: StaticString, _ value: String?) {
        field(name, value) { $0.string($1) }
    }

    package mutating func bool(_ name: StaticString, _ value: Bool?) {
        field(name, value) { $0.bool($1) }
    }

    package mutating func integer(_ name: StaticString, _ value: (some FixedWidthInteger & SignedInteger)?) {
        field(name, value) { $0.integer($1) }
    }

    package mutating func number(_ name: StaticString, _ value: Double?) {
        field(name, value) { $0.number($1) }
    }

    package mutating func instant(_ name: StaticString, _ value: Instant?) {
        field(name, value) { $0.instant($1) }
    }

    package mutating func date(_ name: StaticString, _ value: LocalDate?) {
        field(name, value) { $0.date($1) }
    }

    package mutating func strings(_ name: StaticString, _ values: [String]?) {
        array(name, values) { $0.string($1) }
    }

    /// Writes a key and a list, each element by `write`.
    @inline(__always)
    package mutating func array<Element>(
        _ name: StaticString, _ elements: [Element]?, _ write: (inout JSONWriter, Element) -> Void
    ) {
        field(name, elements) { json, elements in
            json.beginArray()
            for element in elements { write(&json, element) }
            json.endArray()
        }
    }

    /// Writes a key and an object, the fields of which `write` writes.
    @inline(__always)
    mutating func object<Value>(
        _ name: StaticString, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
    ) {
        field(name, value) { json, value in
            json.beginObject()
            write(&json, value)
            json.endObject()
        }
    }

    /// Writes a key and a value, the value by `write`. Inlined, so that a field costs no call through a closure.
    @inline(__always)
    mutating func field<Value>(
        _ name: StaticString, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard let value else { return }
        key(name)
        write(&self, value)
    }
}
