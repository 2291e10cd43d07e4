import Messages
import RecordLog
import StreamCore
import Timelines

/// Reloads of a whole kind that are asked for (L9): its configurations are offered, a portion of them in each
/// transaction (R17).
///
/// They are taken in the order of their ids' hashes, which is the same in every process. So a request that is under way
/// is one number in state, under its own key in the store of counters: the hash to go on from. After a crash nobody is
/// offered twice.
struct ReloadRequests {
    private let table: ConfigurationTable
    private let counters: StateStore<CounterState>
    /// In the order in which they came.
    private var open: [Open] = []
    /// As of the last commit.
    private var committedOpen: [Open] = []
    /// The configurations that this transaction offered.
    private var used = 0
    private var restored = RestoreWalk<CounterState>()

    private struct Open {
        var request: ReloadRequest
        /// Hashes below it are done.
        var next: UInt64 = 0
        /// What is left, the last first; `nil` until it is looked for.
        var left: [(hash: UInt32, slot: Slot<ConfigurationState>)]?
    }

    init(of table: ConfigurationTable, keptIn counters: StateStore<CounterState>) {
        self.table = table
        self.counters = counters
    }

    /// True if configurations wait for the next transaction.
    var hasMore: Bool { !open.isEmpty }

    /// All configurations that there are now are to be offered. A request that is under way begins anew.
    mutating func begin(_ request: ReloadRequest) {
        open.removeAll { $0.request == request }
        open.append(Open(request: request))
    }

    /// Offers the next configurations, as many as the transaction has room for.
    mutating func advance(_ context: TaskContext, _ offer: (Slot<ConfigurationState>) -> Void) {
        if open.isEmpty { return }
        while !open.isEmpty && used < context.flushPortion { offerNext(context, offer) }
        for waiting in open { keep(waiting.next, of: waiting.request) }
    }

    private mutating func offerNext(_ context: TaskContext, _ offer: (Slot<ConfigurationState>) -> Void) {
        var left = open[0].left ?? configurations(of: open[0])
        open[0].left = nil
        var next = open[0].next
        // Those of equal hashes are not parted: the next process could not tell which of them are done.
        while let (hash, slot) = left.last, used < context.flushPortion || UInt64(hash) < next {
            left.removeLast()
            next = UInt64(hash) + 1
            // Another configuration may have got the slot since.
            guard isAsked(slot, by: open[0].request), table.store.hash(of: slot) == hash else { continue }
            offer(slot)
            used += 1
        }
        if left.isEmpty {
            keep(nil, of: open.removeFirst().request)
        } else {
            open[0].next = next
            open[0].left = left
        }
    }

    private func configurations(of open: Open) -> [(hash: UInt32, slot: Slot<ConfigurationState>)] {
        var found: [(hash: UInt32, slot: Slot<ConfigurationState>)] = []
        table.store.visit { slot in
            guard isAsked(slot, by: open.request) else { return }
            let hash = table.store.hash(of: slot)
            if UInt64(hash) >= open.next { found.append((hash, slot)) }
        }
        return found.sorted { ($0.hash, $0.slot) > ($1.hash, $1.slot) }
    }

    private func isAsked(_ slot: Slot<ConfigurationState>, by request: ReloadRequest) -> Bool {
        guard slot.index < table.store.slotCount, let state = table[slot], state.value != nil, state.published != nil
        else { return false }
        let address = table.address(of: slot)
        guard address.kind.isSameByUTF8(as: request.kind) else { return false }
        return request.recipient.map { address.recipient.isSameByUTF8(as: $0) } ?? true
    }

    // MARK: - State

    /// What the key of a request begins with; no other counter's does.
    private static let keyPrefix: UInt8 = 0

    private func keep(_ next: UInt64?, of request: ReloadRequest) {
        var key = ByteWriter(capacity: 64)
        key.write(Self.keyPrefix)
        request.encode(into: &key)
        let slot = key.withUnsafeBytes { counters.slot(of: $0) }
        if counters[slot]?.value == next { return }
        counters[slot] = next.map { CounterState($0) }
    }

    /// - Returns: false if the portion was used up, as `DerivingProcessor.finishRestore`.
    mutating func finishRestore(_ portion: inout Int) -> Bool {
        while let slot = restored.next(in: counters, &portion) {
            guard let next = counters[slot]?.value else { continue }
            counters.withKey(of: slot) { key in
                guard key.first == Self.keyPrefix else { return }
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: key.dropFirst()))
                do throws(CorruptBytes) {
                    open.append(Open(request: try ReloadRequest(from: &reader), next: next))
                } catch {
                    preconditionFailure("A key of this program cannot be read: \(error)")
                }
            }
        }
        guard restored.isDone(in: counters) else { return false }
        committedOpen = open
        return true
    }

    mutating func committed() {
        used = 0
        if open.isEmpty && committedOpen.isEmpty { return }
        committedOpen = open.map { Open(request: $0.request, next: $0.next) }
    }

    mutating func reverted() {
        open = committedOpen
        used = 0
    }
}
