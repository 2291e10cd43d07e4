/// How a run fails.
package struct Symptom: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        case lost = "an input is lost"
        case appliedTwice = "an input is applied twice"
        case outOfOrder = "a record or a message comes twice or out of order"
        case messageLost = "a message is lost"
        case timerLost = "a timer is lost"
        case diverged = "the state is not what the input says"
        case stale = "the last state is not announced"
        case revision = "a revision does not follow the one before"
        case sameTwice = "a visible version is published twice"
        case neverWas = "a reader sees a state that never was"
        case standstill = "a reader stands still"
        case readersDiverged = "a reader's merged position is not what the devices said"
        case overBudget = "more reloads than the budget has"
        case stuckRestore = "a task never runs"
        case lag = "committed offsets stay behind the ends"
        case notSettled = "not settled within its time"
        case notQuiet = "something happens when nothing is left to do"
        case memoryKept = "memory of a revoked task is kept"
        case endedByItself = "a process ends by itself without a fault"
        case healthyFenced = "a healthy process is fenced"
        case unsaid = "a position that was lost is not told"
        case unreadable = "a record cannot be read"
        case crashed = "the program crashes"
    }

    package var kind: Kind
    package var detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    package var description: String { "\(kind.rawValue): \(detail)" }
}
