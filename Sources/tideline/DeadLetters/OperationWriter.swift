import Foundation
import Inspection
import Messages
import RecordLog
import Settings
import StreamRuntime
import Timelines

/// Writes what is done with dead letters: a record that goes back, if there is one, and the mark that says so, in one
/// transaction. So a dead letter is replayed once, whatever happens in between.
///
/// The writer fences every other one of its application before the marks are read: only one of two that run at the same
/// time can commit. Owned by one thread, which it blocks.
final class OperationWriter {
    /// What is done with one dead letter.
    struct Change {
        var letter: DeadLetter
        var operation: OperationMarks.Operation
        /// The topic and partition to which the record goes back; without a partition the key decides. `nil` means
        /// that nothing goes back.
        var destination: (topic: String, partition: Partition?)?
        /// The dead letter of the same record that goes back in this one's place.
        var other: DeadLetterId?
    }

    private let box: DeadLetterBox
    private let producer: any TransactionalProducer
    private static let attempt = Duration.seconds(5)
    private static let patience = Duration.seconds(60)
    /// The most bytes of values in one transaction, if it has more than one record.
    private static let bytesMax = 4 << 20
    private static let recordsMax = 500

    /// Makes the topic of operations if it is missing, then fences other writers.
    init(_ box: DeadLetterBox, _ admin: any Admin) throws(CommandFailure) {
        self.box = box
        try Self.prepareTopic(box, admin)
        let id = "\(box.environment.settings[Keys.application]).operations"
        do throws(LogError) {
            producer = try box.environment.cluster.makeTransactionalProducer(
                transactionalId: id, clientId: "tideline-operations")
        } catch {
            throw CommandFailure(.unavailable, "cannot write to \(box.operationsTopic): \(error)")
        }
        try persistently { () throws(TransactionError) in try producer.initialise(timeout: Self.attempt) }
    }

    func close() { producer.destroy() }

    private static func prepareTopic(_ box: DeadLetterBox, _ admin: any Admin) throws(CommandFailure) {
        let name = box.operationsTopic
        let environment = box.environment
        if let there = try environment.describe([name], admin, for: .write)[name] {
            let policy = there.settings["cleanup.policy"] ?? "compact"
            if policy == "compact" { return }
            throw CommandFailure(
                .software,
                "\(name) has cleanup.policy \(policy), must be compact, or what was replayed would be forgotten:"
                    + " 'tideline topics --apply' sets it")
        }
        let topic = NewTopic(
            name: name, partitions: 1, replication: environment.settings.internalReplication,
            settings: OperationMarks.settings)
        do throws(LogError) {
            try admin.createTopic(topic, timeout: .seconds(30))
        } catch {
            // Somebody else was faster.
            if error.code != .topicAlreadyExists {
                throw CommandFailure(.unavailable, "cannot make the topic \(name): \(error)")
            }
        }
        try environment.require([name], admin)
    }

    /// Writes the changes, some hundred in a transaction.
    ///
    /// - Parameter written: called with the changes of each transaction once it is committed.
    /// - Throws: if a transaction is not known to be committed. To do it all once more is safe: what was done has its
    ///   mark.
    func write(_ changes: [Change], written: ([Change]) -> Void) throws(CommandFailure) {
        var rest = changes[...]
        while !rest.isEmpty {
            if Signals.isStopRequested { throw failure("told to end with \(rest.count) left") }
            var bytes = 0
            let portion = rest.prefix(Self.recordsMax).prefix { change in
                defer { bytes += change.letter.record.value?.count ?? 0 }
                return bytes <= Self.bytesMax
            }
            try transaction { () throws(CommandFailure) in try add(Array(portion)) }
            written(Array(portion))
            rest = rest.dropFirst(portion.count)
        }
    }

    /// Writes a tombstone for each mark, all of them in one transaction: their dead letters wait again.
    ///
    /// - Throws: if the transaction is not known to be committed.
    func forget(_ keys: [[UInt8]]) throws(CommandFailure) {
        try transaction { () throws(CommandFailure) in
            for key in keys { try produce(box.operationsTopic, nil, key, nil, []) }
        }
    }

    private func add(_ changes: [Change]) throws(CommandFailure) {
        for change in changes {
            if let (topic, partition) = change.destination {
                let letter = change.letter
                try produce(topic, partition, letter.record.key, letter.record.value, letter.replayHeaders)
            }
            try produce(
                box.operationsTopic, nil, OperationMarks.key(of: change.letter),
                OperationMarks.value(of: change.operation, on: change.letter, at: .now()), [])
        }
    }

    private func transaction(_ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
        try persistently { () throws(TransactionError) in try producer.begin() }
        do throws(CommandFailure) {
            try body()
            try persistently { () throws(TransactionError) in try producer.commit(timeout: Self.attempt) }
        } catch {
            try abort(after: error)
        }
    }

    /// - Throws: the failure, always. If the transaction cannot be aborted, that is said, too.
    private func abort(after failure: CommandFailure) throws(CommandFailure) {
        do throws(TransactionError) {
            try producer.abort(timeout: Self.attempt)
        } catch .fenced {
            // Whoever fenced this producer has aborted its transaction.
        } catch {
            writeError(
                "warning: the transaction could not be aborted either: \(error.cause); the broker does it when its"
                    + " time is over, or the next 'tideline dead-letters replay' or 'drop'")
        }
        throw failure
    }

    private func produce(
        _ topic: String, _ partition: Partition?, _ key: [UInt8]?, _ value: [UInt8]?, _ headers: [Header]
    ) throws(CommandFailure) {
        try persistently { () throws(TransactionError) in
            try lend(key) { (key) throws(TransactionError) in
                try lend(value) { (value) throws(TransactionError) in
                    try producer.produce(
                        topic: topic, partition: partition, key: key, value: value, headers: headers)
                }
            }
        }
    }

    private func lend(
        _ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) throws(TransactionError) -> Void
    ) throws(TransactionError) {
        guard let bytes else { return try body(nil) }
        // Not `withUnsafeBytes`, which gives an empty array no address, and that would be a tombstone.
        try bytes.withUnsafeBufferPointer { (bytes) throws(TransactionError) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }

    private func persistently(_ call: () throws(TransactionError) -> Void) throws(CommandFailure) {
        let end = WallClock.uptime() + Self.patience
        while true {
            do throws(TransactionError) {
                return try call()
            } catch {
                switch error {
                case .retriable(let cause):
                    let silence = "the broker does not answer: \(cause)"
                    if Signals.isStopRequested { throw failure("told to end while \(silence)") }
                    guard WallClock.uptime() < end else { throw failure(silence) }
                    // A full queue refuses at once.
                    usleep(50_000)
                case .fenced(let cause):
                    throw failure(
                        "another 'tideline dead-letters' of this application has begun meanwhile (\(cause.name))")
                case .abortable(let cause), .fatal(let cause):
                    // Named, so that it can be left out: all behind it waits for it.
                    guard let record = cause.record else { throw failure("\(cause)") }
                    let key = record.key.map { "of key \($0)" } ?? "without a key"
                    throw failure("\(cause): a record \(key), of \(record.bytes) bytes, for \(record.topic)")
                }
            }
        }
    }

    private func failure(_ reason: String) -> CommandFailure {
        CommandFailure(
            .software,
            "not all was done: \(reason). To say the same again is safe: what was done is marked in"
                + " \(box.operationsTopic) and is not done twice")
    }
}
