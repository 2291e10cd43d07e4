import RecordLog

/// The objects of a pipe as records, judged batch by batch: a batch is sent only if all of it is good.
package final class JSONBatches: RecordSource {
    private let objects: JSONObjectStream
    private let content: JSONReplay.Content
    private let judge: InputJudge
    private let clock: any PacingClock
    private var batch: ArraySlice<SourceRecord> = []
    private var isAtEnd = false
    /// The problems of the batch at which the records end.
    package private(set) var problems = InputProblems()

    /// A batch ends after this number of objects, or this time after its first one.
    package static let countMax = 10_000
    package static let patience = Duration.seconds(1)

    /// - Parameter shouldStop: asked several times a second while nothing comes; true is the input's end.
    package init(
        _ input: InputFile, content: JSONReplay.Content, judge: InputJudge, clock: any PacingClock,
        shouldStop: @escaping () -> Bool = { false }
    ) throws(InputProblem) {
        objects = JSONObjectStream(try input.open(shouldStop: shouldStop))
        self.content = content
        self.judge = judge
        self.clock = clock
    }

    package var fractionDone: Double? { objects.fractionDone }

    /// - Throws: the first problem of a batch; all of them are in `problems`.
    package func next() throws(InputProblem) -> SourceRecord? {
        if batch.isEmpty && !isAtEnd { try fill() }
        return batch.popFirst()
    }

    private func fill() throws(InputProblem) {
        var records: [SourceRecord] = []
        var count = 0
        var begin: Duration?
        func isOpen() -> Bool { begin.map { clock.now - $0 < Self.patience } ?? true }
        while count < Self.countMax, isOpen() {
            do throws(InputProblem) {
                guard let object = try objects.next(waits: isOpen) else {
                    isAtEnd = !objects.isPaused
                    break
                }
                begin = begin ?? clock.now
                count += 1
                let found = judge.problems(of: object, in: objects.file)
                for problem in found { problems.add(problem) }
                if found.isEmpty { records.append(try content.record(object, of: objects.file)) }
            } catch {
                problems.add(error)
                count += 1
                begin = begin ?? clock.now
                // Later bytes are read only as far as they are there: a pipe may be silent for ever.
                if try !objects.skipFault(waits: isOpen) {
                    isAtEnd = !objects.isPaused
                    break
                }
            }
        }
        if let problem = problems.first.first { throw problem }
        batch = records[...]
    }
}
