import Diagnosis
import Foundation
import Inspection
import Messages
import RecordLog

/// One run of a verb that does something with dead letters: chooses, asks, writes, reports. Owned by one thread.
final class DeadLetterRun {
    let environment: Environment
    let admin: any Admin
    private let box: DeadLetterBox
    private let operation: OperationMarks.Operation
    private let isAgreed: Bool
    private let isNamed: Bool
    private let chosen: [(letter: DeadLetter, state: OperationMarks.State)]
    private static let columns = ["id", "outcome", "to", "why"]

    init(
        _ action: DeadLetterActionOptions, _ operation: OperationMarks.Operation, _ environment: Environment
    ) throws(CommandFailure) {
        self.environment = environment
        self.operation = operation
        isAgreed = action.yes
        isNamed = !action.ids.isEmpty
        try Consent.requireTerminal(isGiven: action.yes)
        box = try DeadLetterBox(environment)
        try box.requireReadableMarks()
        admin = try environment.connect()
        environment.warnOfUnknownApplication(admin)
        chosen = try box.letters(action.choice.choice(action.ids.map(\.id)))
    }

    func close() { admin.close() }

    /// The chosen dead letters with which nothing was done yet that hinders this operation.
    private var waiting: [DeadLetter] { chosen.filter { hindrance($0.state) == nil }.map(\.letter) }

    private func hindrance(_ state: OperationMarks.State) -> String? {
        guard case .done(let done, let at) = state else { return nil }
        // Who names a dropped one has thought again.
        if operation == .replayed, done == .dropped, isNamed { return nil }
        return "was \(done.rawValue) at \(at.rfc3339)"
    }

    /// Does it, after asking, and writes a row for each dead letter.
    ///
    /// - Parameters:
    ///   - verb: the operation as a command: "Replay".
    ///   - judge: says where dead letters go; `nil` if they go nowhere. It looks once nobody else writes; before the
    ///     question, too, whose answer may take its time: what was written meanwhile counts.
    /// - Returns: the number of those that were left out though nothing had been done with them.
    func carryOut(
        _ output: InspectOptions, _ verb: String, judge: ReplayJudge? = nil
    ) throws(CommandFailure) -> Int {
        // Where nobody is asked, the look before writing is enough: each reads whole topics.
        var asked = isAgreed ? nil : judge
        try asked?.look(at: waiting)
        var changes: [OperationWriter.Change] = []
        var rows: [InspectedRow] = []
        var counts = DeadLetterTally()
        var progress = Progress()
        var doneBefore = 0
        for (letter, state) in chosen {
            if let hindrance = hindrance(state) {
                doneBefore += 1
                // Of a choice by reason or time, nobody asked for those that are done with.
                if isNamed { rows.append(row(letter, "left out", why: hindrance)) }
                continue
            }
            // What cannot go back at all needs no look at topics, and no writer that fences another one.
            let refusal = judge == nil ? nil : ReplayJudge.refusal(of: letter)
            switch asked?.destination(of: letter) ?? refusal.map({ .failure($0) }) ?? .success(nil) {
            case .success(let place):
                changes.append(.init(letter: letter, operation: operation, destination: place))
                counts.add(letter, state)
            case .failure(let reason):
                progress.leftOut += 1
                rows.append(row(letter, "left out", why: reason.reason))
            }
        }
        output.write(rows, columns: Self.columns)
        let were = doneBefore == 1 ? "was" : "were"
        let before = doneBefore > 0 ? "; \(doneBefore) \(were) replayed or dropped before" : ""
        guard !changes.isEmpty else {
            writeError("nothing to do: \(chosen.count.counted("dead letter")) chosen\(before)\(progress.others)")
            return progress.leftOut
        }
        let number = changes.count.counted("dead letter")
        try Consent.require(for: "\(verb) \(number) (\(counts.sentence))?", isGiven: isAgreed)
        // What was done is said also where the rest fails, or somebody has had enough.
        defer {
            writeError("\(operation.rawValue) \(progress.done) of \(chosen.count) chosen\(before)\(progress.others)")
        }
        try write(changes, output, judge, &progress)
        return progress.leftOut
    }

    /// The numbers of dead letters with which it was done, and of those that were left out though nothing had been done
    /// with them.
    private struct Progress {
        var done = 0
        var leftOut = 0

        var others: String { leftOut > 0 ? "; \(leftOut) \(leftOut == 1 ? "is" : "are") left out" : "" }
    }

    /// - Parameter progress: counts also if this throws.
    private func write(
        _ changes: [OperationWriter.Change], _ output: InspectOptions, _ judge: ReplayJudge?,
        _ progress: inout Progress
    ) throws(CommandFailure) {
        let writer = try OperationWriter(box, admin)
        defer { writer.close() }
        // Whoever else writes is fenced from here on, so these marks are all that there will be. Some may be new.
        try box.readMarks(needsAll: true)
        try box.requireReadableMarks()
        var judge = judge
        try judge?.look(at: changes.map(\.letter))
        var rest: [OperationWriter.Change] = []
        // The dead letters that put a record back, by record: another one of it is marked alone.
        var returning: [OperationMarks.Source: DeadLetterId] = [:]
        var rows: [InspectedRow] = []
        for var change in changes {
            if let hindrance = hindrance(box.state(of: change.letter)) {
                rows.append(row(change.letter, "left out", why: hindrance))
                continue
            }
            switch judge?.destination(of: change.letter) ?? .success(nil) {
            case .success(let place):
                change.destination = place
                if place != nil, let source = OperationMarks.source(of: change.letter) {
                    change.other = returning[source]
                    if change.other == nil {
                        returning[source] = change.letter.id
                    } else {
                        change.destination = nil
                    }
                }
                rest.append(change)
            case .failure(let failure):
                progress.leftOut += 1
                rows.append(row(change.letter, "left out", why: failure.reason))
            }
        }
        output.write(rows, columns: Self.columns)
        var done = 0
        defer { progress.done = done }
        try writer.write(rest) { written in
            done += written.count
            output.write(
                written.map { change in
                    row(
                        change.letter, operation.rawValue, to: change.destination,
                        why: change.other.map { "its record went back as that of \($0.text)" })
                }, columns: Self.columns, isReport: true)
        }
    }

    private func row(
        _ letter: DeadLetter, _ outcome: String, to destination: ReplayJudge.Destination? = nil, why: String? = nil
    ) -> InspectedRow {
        var row = InspectedRow()
        row.add("id", letter.id.text)
        row.add("outcome", outcome)
        row.add("to", destination.map { "\($0.topic)\($0.partition.map { "[\($0)]" } ?? "")" })
        row.add("why", why)
        return row
    }
}
