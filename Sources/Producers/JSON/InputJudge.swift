import Messages
package import Timelines

/// Finds the problems of an input's objects before they are sent, by the decoding that the pipeline uses. Owned by one
/// thread.
package final class InputJudge {
    private let content: JSONReplay.Content
    private var judge: RecordJudge
    /// The most bytes that the topic takes of a key and a value together (`max.message.bytes`); `nil` means that the
    /// broker was not asked yet.
    package var recordBytesMax: Int?
    /// The most bytes of a value that the pipeline reads.
    private let valueBytesMax: Int
    /// The bytes of the largest key and value together that were judged.
    package private(set) var largestRecord = 0
    /// The fields of configurations that the pipeline ignores, each where it was met first.
    package private(set) var remarks: [InputProblem] = []
    /// The fields of configurations that were met; there are few, however many configurations there are.
    private var metFields: Set<String> = []

    private static let metFieldsMax = 1000

    /// - Parameters:
    ///    - kinds: the declared kinds, whose rules configurations must follow.
    ///    - valueBytesMax: the most bytes of a value. Larger values are refused, for the pipeline refuses them.
    package init(_ content: JSONReplay.Content, kinds: WidgetKinds = WidgetKinds(), valueBytesMax: Int = .max) {
        self.content = content
        judge = RecordJudge(content, kinds: kinds)
        self.valueBytesMax = valueBytesMax
    }

    /// All problems of an object, each with the line and column of its field, in the order of their places.
    ///
    /// A configuration that would get an `error` timeline has problems, for it would replace one that works.
    package func problems(of object: JSONObject, in file: String) -> [InputProblem] {
        var found: [MessageProblem] = []
        do throws(MessageProblem) {
            try checkSize(of: object)
            let key = content == .calendarEvents ? try? content.record(object, of: "").key : nil
            found = object.bytes.withUnsafeBytes { judge.problems(of: $0, key: key) }
        } catch {
            found = [error]
        }
        if content == .configurations && found.isEmpty { remarkFields(of: object, in: file) }
        let placed = found.map { problem in
            let place = object.place(ofField: problem.field)
            return InputProblem(file: file, line: place.line, column: place.column, reason: problem.description)
        }
        return placed.sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
    }

    private func remarkFields(of object: JSONObject, in file: String) {
        for name in object.memberNames
        where name != "deleted" && metFields.count < Self.metFieldsMax && metFields.insert(name).inserted {
            guard let reason = ConfigurationSchema.remark(onField: name) else { continue }
            let place = object.place(ofField: name)
            remarks.append(InputProblem(file: file, line: place.line, column: place.column, reason: reason))
        }
    }

    /// Checks the size of an object, except for a tombstone, which is published without its bytes.
    private func checkSize(of object: JSONObject) throws(MessageProblem) {
        let count = object.bytes.count
        guard content == .telemetry || !object.isTrue("deleted") else { return }
        guard count <= valueBytesMax else {
            throw MessageProblem(.tooLarge, "the value has \(count) bytes, at most \(valueBytesMax) are read")
        }
        // A key is made of the value's bytes, at most three for each of them.
        guard 4 * count > min(largestRecord, recordBytesMax ?? .max) else { return }
        // An object without a key is a problem of its own.
        guard let key = try? content.record(object, of: "").key else { return }
        largestRecord = max(largestRecord, key.count + count)
        if let recordBytesMax, key.count + count > recordBytesMax {
            throw MessageProblem(
                .tooLarge,
                "key and value have \(key.count + count) bytes, the topic takes at most \(recordBytesMax)"
                    + " (max.message.bytes)")
        }
    }
}

/// The result of judging a whole input.
package struct JSONCheck: Sendable {
    /// The number of records without problems.
    package private(set) var records = 0
    /// Records with problems, and places where no record can be read.
    package private(set) var faulty = 0
    /// The problems of the whole input, in the order of their places.
    package private(set) var problems = InputProblems()
    /// The bytes of the largest key and value together.
    package private(set) var largestRecord = 0

    /// Judges all objects of an input; a broken one does not hide those after it. Holds one of them at a time.
    ///
    /// - Parameters:
    ///   - shouldStop: asked after each object; true ends it.
    ///   - progress: told after every thousand objects how many there were, and what part of the input is behind.
    /// - Throws: if the input cannot be read.
    package init(
        _ input: InputFile, content: JSONReplay.Content, judge: InputJudge, shouldStop: () -> Bool = { false },
        progress: (_ records: Int, _ fraction: Double?) -> Void = { _, _ in }
    ) throws(InputProblem) {
        let replay = JSONReplay(
            JSONObjectStream(try input.open()), content: content, judge: judge, skipsFaults: true)
        while !shouldStop(), try replay.next() != nil {
            records += 1
            if records % 1000 == 0 { progress(records, replay.fractionDone) }
        }
        (faulty, problems) = (replay.skippedCount, replay.problems)
        largestRecord = judge.largestRecord
    }
}
