import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

@Suite("Fetching goes on while a queue is read: R14")
struct FetchWakeUpTests {
    private let now = ContinuousClock.now

    @Test("R14: a request is due when half of the queue is read, and again at half of that")
    func halves() {
        var wakeUp = FetchWakeUp()
        wakeUp.note(length: 8000)
        var due: [Int] = []
        for (step, length) in stride(from: 8000, through: 0, by: -500).enumerated() {
            let later = now + FetchWakeUp.interval * step
            if wakeUp.isDue(length: length, now: later) { due.append(length) }
        }
        #expect(due == [4000, 2000, 1000, 500, 0])
        #expect(wakeUp.requests == 5)
    }

    @Test("R14: requests keep their distance, and a longer one after a failure")
    func distance() {
        var wakeUp = FetchWakeUp()
        wakeUp.note(length: 8000)
        var answers: [Bool] = []
        answers.append(wakeUp.isDue(length: 4000, now: now))
        answers.append(wakeUp.isDue(length: 1000, now: now + FetchWakeUp.interval / 2))
        answers.append(wakeUp.isDue(length: 1000, now: now + FetchWakeUp.interval))
        wakeUp.noteFailure(now: now)
        wakeUp.note(length: 8000)
        answers.append(wakeUp.isDue(length: 0, now: now + FetchWakeUp.pause / 2))
        answers.append(wakeUp.isDue(length: 0, now: now + FetchWakeUp.pause))
        #expect(answers == [true, false, true, false, true])
    }

    @Test("R14: a queue that holds little asks for nothing: no more is there")
    func littleInIt() {
        var wakeUp = FetchWakeUp()
        wakeUp.note(length: FetchWakeUp.least - 1)
        let isDue = wakeUp.isDue(length: 0, now: now)
        #expect(!isDue)
    }

    /// Without requests, librdkafka 2.0.2 reads an answer of 1 MB in 0.7 s: 120 MB take it a minute and a half.
    @Test("R14: a backlog of many times the queue is read at once")
    func backlog() async throws {
        let properties = ["queued.max.messages.kbytes": "256", "queued.min.messages": "1000"]
        let (count, elapsed) = try await onBroker(properties) { kafka in
            let topic = try kafka.topic()
            // What compresses would fit into one answer.
            var random = SystemRandomNumberGenerator()
            let texts = (0..<256).map { _ in (0..<680).map { _ in String(random.next(), radix: 36) }.joined() }
            try kafka.write((0..<15_000).map { texts[$0 % texts.count] }, to: topic)
            let consumer = try kafka.consumer()
            defer { consumer.close() }
            try consumer.incrementalAssign([(TopicPartition(topic), .earliest)])
            let began = ContinuousClock.now
            var count = 0
            _ = wait {
                count += consumer.poll(maximum: 10_000, timeout: .milliseconds(100)).records.count
                return count == 15_000
            }
            return (count, ContinuousClock.now - began)
        }
        #expect(count == 15_000)
        #expect(elapsed < .seconds(60))
    }
}
