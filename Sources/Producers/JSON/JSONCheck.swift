/// What came of judging a whole input.
package struct JSONCheck: Sendable {
    package private(set) var records = 0
    /// Records with problems, and places where no record can be read.
    package private(set) var faulty = 0
    package private(set) var problems = InputProblems()
    /// Of keys and values together, the largest.
    package private(set) var largestRecord = 0

    /// Judges all objects of an input; a broken one does not hide those after it. Holds one of them at a time.
    ///
    /// - Parameters:
    ///   - shouldStop: asked after each object; true ends it.
    ///   - progress: told after every thousand objects how many there were, and what part of the input is behind.
    /// - Throws: where the input cannot be read.
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
