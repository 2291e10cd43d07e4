import Diagnosis
import Inspection
import Messages
import RecordLog
import StreamCore

extension DoctorRun {
    /// Counts the dead letters with which nobody has done anything yet.
    func lookAtDeadLetters(_ found: [String: TopicDescription], _ admin: any Admin) {
        let topic = environment.topics.deadLetters
        guard let partitions = found[topic]?.partitions else { return }
        let facts = DeadLetterFacts(topic: topic, waiting: waitingLetters(topic, partitions, admin))
        report.add([facts.finding(command: command)])
    }

    private func waitingLetters(
        _ topic: String, _ partitions: Int32, _ admin: any Admin
    ) -> DeadLetterFacts.Waiting {
        let places = (0..<Partition(partitions)).map { TopicPartition(topic, $0) }
        let begin: [Partition: Offset]
        do throws(LogError) {
            let lows = try admin.startOffsets(of: places, timeout: Self.patience)
            let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: Self.patience)
            let offsets = places.reduce(0) { $0 + (ends[$1]?.rawValue ?? 0) - (lows[$1]?.rawValue ?? 0) }
            if offsets == 0 { return .counted(0, "") }
            begin = DeadLetterFacts.newest(from: lows, to: ends)
        } catch {
            return .failed("\(error)")
        }
        var tally = DeadLetterTally()
        do throws(CommandFailure) {
            try DeadLetterBox(environment).readLetters(from: begin) { letter, state in
                if case .waiting = state { tally.add(letter, state) }
            }
            return begin.isEmpty
                ? .counted(tally.total, tally.sentence) : .atLeast(tally.total, tally.sentence)
        } catch {
            return .failed(error.message)
        }
    }
}
