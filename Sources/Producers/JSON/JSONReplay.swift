package import Messages
import Timelines

/// The objects of a JSON file (one object, an array, or JSON lines) as records of one topic. The bytes are published as
/// they are. They are checked to be JSON and to name their record's key, and by the judge if there is one. An event or
/// a configuration with `"deleted": true` is a tombstone.
package final class JSONReplay: RecordSource {
    private let objects: JSONObjectStream
    private let content: Content
    private let judge: InputJudge?
    private let skipsFaults: Bool
    private let onFault: (InputProblem) -> Void
    /// The number of records that were found when the input was judged as a whole.
    private let judgedCount: Int?
    private var count = 0
    /// The number of records that were left out, and of places where no record can be read.
    package private(set) var skippedCount = 0
    /// The problems of what was left out.
    package private(set) var problems = InputProblems()

    /// The kind of the objects, which decides their topic and their keys. Telemetry is due when it was observed.
    package typealias Content = InputContent

    /// - Parameters:
    ///   - file: a path; `-` is standard input, of which each object is published as soon as it is complete.
    ///    - judge: finds further problems of each object.
    ///    - skipsFaults: true if wrong objects are left out and named in `problems`.
    ///    - shouldStop: asked several times a second while nothing comes through a pipe; true is the input's end.
    ///   - onFault: called with each problem that is left out, when it is met.
    package convenience init(
        file: String, content: Content, judge: InputJudge? = nil, skipsFaults: Bool = false,
        shouldStop: @escaping () -> Bool = { false }, onFault: @escaping (InputProblem) -> Void = { _ in }
    ) throws(InputProblem) {
        self.init(
            try JSONObjectStream(file: file, shouldStop: shouldStop), content: content, judge: judge,
            skipsFaults: skipsFaults, onFault: onFault)
    }

    /// - Parameters:
    ///    - input: the input, which is read anew from its beginning.
    ///    - judgedCount: the number of records that were found when all of it was judged. Another number now is a
    ///      problem: the file has changed since.
    package convenience init(
        _ input: InputFile, content: Content, judge: InputJudge? = nil, judgedCount: Int? = nil
    ) throws(InputProblem) {
        self.init(
            JSONObjectStream(try input.open()), content: content, judge: judge, skipsFaults: false,
            judgedCount: judgedCount)
    }

    init(
        _ objects: JSONObjectStream, content: Content, judge: InputJudge?, skipsFaults: Bool,
        onFault: @escaping (InputProblem) -> Void = { _ in }, judgedCount: Int? = nil
    ) {
        self.objects = objects
        self.content = content
        self.judge = judge
        self.skipsFaults = skipsFaults
        self.onFault = onFault
        self.judgedCount = judgedCount
    }

    package var skipped: [InputProblem] { problems.first }

    package var fractionDone: Double? { objects.fractionDone }

    package func next() throws(InputProblem) -> SourceRecord? {
        guard let judgedCount else { return try read() }
        let found: SourceRecord?
        do throws(InputProblem) {
            found = try read()
        } catch {
            var problem = error
            problem.reason += "; the file changed after it was judged, \(count) of \(judgedCount) records were sent"
            throw problem
        }
        let isExpected = (found == nil) == (count == judgedCount)
        guard isExpected else {
            throw InputProblem(
                file: objects.file, line: nil,
                reason: "the file changed after it was judged: \(judgedCount) records were good then, now there are"
                    + " \(found == nil ? "only \(count)" : "more"); \(count) were sent")
        }
        if found != nil { count += 1 }
        return found
    }

    private func read() throws(InputProblem) -> SourceRecord? {
        while true {
            let object: JSONObject
            do throws(InputProblem) {
                guard let next = try objects.next() else { return nil }
                object = next
            } catch {
                guard skipsFaults else { throw error }
                skip([error])
                guard try objects.skipFault() else { return nil }
                continue
            }
            let found = faults(of: object)
            if let first = found.first {
                guard skipsFaults else { throw first }
                skip(found)
                continue
            }
            return try content.record(object, of: objects.file)
        }
    }

    private func skip(_ found: [InputProblem]) {
        skippedCount += 1
        for problem in found {
            problems.add(problem)
            onFault(problem)
        }
    }

    private func faults(of object: JSONObject) -> [InputProblem] {
        if let found = judge?.problems(of: object, in: objects.file), !found.isEmpty { return found }
        do throws(InputProblem) {
            _ = try content.record(object, of: objects.file)
            return []
        } catch {
            return [error]
        }
    }
}

extension InputContent {
    /// The record that an object of a file stands for.
    ///
    /// - Throws: if it does not name its record's key.
    package func record(_ object: JSONObject, of file: String) throws(InputProblem) -> SourceRecord {
        do throws(MessageProblem) {
            let key = Array(try key(object.member).utf8)
            if self == .telemetry {
                return SourceRecord(key: key, value: object.bytes, due: instant("observedAt", of: object))
            }
            return SourceRecord(key: key, value: object.isTrue("deleted") ? nil : object.bytes)
        } catch {
            let place = object.place(ofField: error.field)
            throw InputProblem(
                file: file, line: place.line, column: place.column, reason: "\(error.field ?? "") \(error.message)")
        }
    }

    /// The instant of a field, for the pace alone: the pipeline judges whether it can be read.
    private func instant(_ name: String, of object: JSONObject) -> Instant? {
        guard let text = object.text(name) else { return nil }
        return Instant(rfc3339: text) ?? Int64(text).map { Instant(milliseconds: $0) }
    }
}
