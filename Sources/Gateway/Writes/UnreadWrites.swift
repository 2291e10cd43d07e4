import RecordLog
import Synchronization

/// Values that this server has written and its views have not read yet, by key. Whoever changes a part of a value
/// begins with them, so that of two changes in a row none is lost.
final class UnreadWrites<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let state = Mutex(State())
    private let order = Mutex(())

    private struct State {
        var writes: [Key: Write] = [:]
        var nextNumber = 0
    }

    private struct Write: Sendable {
        var number: Int
        /// `nil` is a tombstone.
        var value: Value?
        /// `nil` until the broker has it.
        var place: RecordPlace?
        /// The latest write before this one that the broker has: it counts if this one fails.
        var before: Settled?
    }

    private struct Settled: Sendable {
        var number: Int
        var value: Value?
        var place: RecordPlace
    }

    /// The latest write of a key that the views do not show.
    enum Latest {
        case none
        case written(Value?)
    }

    /// The keys of all writes that are known, in no order.
    var keys: [Key] { state.withLock { Array($0.writes.keys) } }

    /// Runs a change: what it looks up, writes and hands to the log is one step for all other changes. It must not
    /// wait, and is not called within another.
    func change<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
        try order.withLock { (_) throws(Problem) in try body() }
    }

    /// The latest write of a key, as long as the views have not read it.
    func latest(_ key: Key, isRead: (RecordPlace) -> Bool) -> Latest {
        guard let write = state.withLock({ $0.writes[key] }) else { return .none }
        if let place = write.place, isRead(place) {
            forget(key, write.number)
            return .none
        }
        return .written(write.value)
    }

    /// Notes a write that is under way.
    ///
    /// - Returns: its number, for `settle`.
    func begin(_ key: Key, _ value: Value?) -> Int {
        state.withLock { state in
            state.nextNumber += 1
            let last = state.writes[key]
            let before = last.flatMap { last in
                last.place.map { Settled(number: last.number, value: last.value, place: $0) } ?? last.before
            }
            state.writes[key] = Write(number: state.nextNumber, value: value, before: before)
            return state.nextNumber
        }
    }

    /// The broker has the record of a write that began with this value.
    func settle(_ key: Key, _ number: Int, _ value: Value?, at place: RecordPlace) {
        state.withLock { state in
            if state.writes[key]?.number == number {
                state.writes[key]?.place = place
                state.writes[key]?.before = nil
            } else if let last = state.writes[key], last.place == nil, number > last.before?.number ?? 0 {
                // A later write is under way: should it fail, this one counts.
                state.writes[key]?.before = Settled(number: number, value: value, place: place)
            }
        }
    }

    /// The record was not written: the write before it counts again.
    func fail(_ key: Key, _ number: Int) {
        state.withLock { state in
            guard let failed = state.writes[key], failed.number == number else { return }
            state.writes[key] = failed.before.map { Write(number: $0.number, value: $0.value, place: $0.place) }
        }
    }

    /// Everybody can read the record.
    private func forget(_ key: Key, _ number: Int) {
        state.withLock { state in
            if state.writes[key]?.number == number { state.writes[key] = nil }
        }
    }

    /// Drops what the views have read, if there is much of it.
    func compact(isRead: (RecordPlace) -> Bool) {
        let settled = state.withLock { state in
            state.writes.count < 1024
                ? [] : state.writes.compactMap { key, write in write.place.map { (key, write.number, $0) } }
        }
        for (key, number, place) in settled where isRead(place) { forget(key, number) }
    }
}
