/// A value on the heap, which does not change and which copies share.
///
/// Entries are copied on their way from a strategy's draft to the finished timeline, and several of them show one
/// vehicle. A large part that lies here is copied by counting one reference.
package struct Indirect<Value> {
    fileprivate final class Storage {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private let storage: Storage

    package init(_ value: Value) {
        storage = Storage(value)
    }

    package var value: Value {
        _read { yield storage.value }
    }

    /// True if one is a copy of the other.
    package func isSameObject(as other: Indirect) -> Bool { storage === other.storage }
}

extension Indirect.Storage: Sendable where Value: Sendable {}

extension Indirect: Sendable where Value: Sendable {}

extension Indirect: Equatable where Value: Equatable {
    package static func == (left: Indirect, right: Indirect) -> Bool {
        left.isSameObject(as: right) || left.value == right.value
    }
}

extension Indirect: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}
