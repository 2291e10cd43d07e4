/// One thing that a processor did, for whoever follows the work closely: a name, and facts in an order of their own.
package struct ActivityNote: Hashable, Sendable {
    /// Such as `timeline.made`.
    package let name: String
    package let fields: [Field]

    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(_ name: String, _ fields: [Field]) {
        self.name = name
        self.fields = fields
    }
}

/// The notes of one transaction: so many in order, the rest as a number. They cost nothing while nobody follows.
package struct ActivityNotes: Sendable {
    package private(set) var all: [ActivityNote] = []
    package private(set) var more = 0

    /// A storm must not fill the memory.
    private let max: Int

    package init(max: Int = 10_000) { self.max = max }

    mutating func add(_ note: ActivityNote) {
        if all.count < max { all.append(note) } else { more += 1 }
    }

    mutating func removeAll() {
        if all.isEmpty { return }
        all.removeAll()
        more = 0
    }
}
