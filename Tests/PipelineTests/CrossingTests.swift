import Messages
import Pipeline
import RecordLog
import StreamCore
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Messages that are under way between a configuration's task and its recipient's while something else happens.
    @Suite struct CrossingTests {
        @Test("Content that is back while its change is being announced is announced, too")
        func backMeanwhile() throws {
            let stage = LateStage(limit: 48, burst: 10)
            func event(_ title: String, _ sequence: Int) {
                stage.put(
                    1, "work/A",
                    #"{"calendarId": "work", "uid": "A", "sequence": \#(sequence), "title": "\#(title)", "#
                        + #""start": "2026-03-02T12:00:00Z", "end": "2026-03-02T13:00:00Z"}"#)
            }
            event("Alpha", 0)
            stage.put(2, "c1", #"{"configurationId": "c1", "kind": "K", "calendarIds": ["work"]}"#)
            stage.settle(at: "10:00")
            stage.settle(at: "10:00:02")
            event("Beta", 1)
            stage.settle(at: "11:00")
            stage.holdMessages = true
            stage.settle(at: "11:00:02")
            #expect(stage.reloads.map(\.revision) == [1, 2])
            stage.holdMessages = false
            event("Alpha", 2)
            stage.settle(at: "11:00:02.500")
            stage.deliverHeld()
            stage.settle(at: "11:00:02.500")
            stage.settle(at: "11:00:04.500")
            #expect(stage.reloads.map(\.revision) == [1, 2, 3])
        }

        @Test("What is held is not dropped for a date of what was seen before the last announcement")
        func voidMeanwhile() throws {
            let stage = LateStage(limit: 25, burst: 1)
            func vehicle(_ fields: String, _ observedAt: String) {
                stage.put(0, "v1", #"{"vehicleId": "v1", "observedAt": "\#(at(observedAt).rfc3339)", \#(fields)}"#)
            }
            vehicle(#""ignition": true, "speed": 40"#, "08:00")
            stage.put(
                2, "c1",
                #"{"configurationId": "c1", "kind": "K", "vehicleId": "v1", "strategy": {"name": "status", "#
                    + #""every": "PT4H", "parkedEvery": "PT4H", "offlineAfter": "P1D"}}"#)
            stage.settle(at: "08:00")
            stage.settle(at: "08:00:02")
            // What is seen is due again at noon.
            vehicle(#""ignition": false, "speed": 0"#, "11:57:10")
            stage.settle(at: "11:57:10")
            stage.holdMessages = true
            stage.settle(at: "11:57:12")
            #expect(stage.reloads.map(\.revision) == [1, 2])
            stage.holdMessages = false
            vehicle(#""ignition": true, "speed": 0"#, "11:57:12.500")
            stage.settle(at: "11:57:12.500")
            stage.deliverHeld()
            stage.settle(at: "11:57:12.500")
            stage.settle(at: "11:57:14.500")
            #expect(stage.reloads.count == 2)
            stage.settle(at: "12:57:12")
            #expect(stage.reloads.map(\.revision) == [1, 2, 3])
            #expect(stage.reloads.last?.issuedAt == at("12:57:12"))
        }
    }
}

/// One task whose messages, those to itself included, can be held back over commits.
private final class LateStage: MessageRouter {
    private var task: StreamTask!
    private var messages: [[UInt8]] = []
    private var held: [[UInt8]] = []
    private var offset: Offset = 0
    private var inputs: [(source: UInt8, key: [UInt8], value: [UInt8])] = []
    private var parser = JSONParser()
    /// What is sent from now on stays under way.
    var holdMessages = false
    private(set) var reloads: [ReloadNotification] = []

    init(limit: Int, burst: Int) {
        var settings = PipelineSettings()
        settings.reload.limit = limit
        settings.reload.burst = burst
        task = StreamTask(partition: 0, partitions: 1, topology: .widgets(settings), router: self)
        task.begin()
    }

    func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
        if holdMessages { held.append(envelope) } else { messages.append(envelope) }
    }

    func put(_ source: UInt8, _ key: String, _ value: String) {
        inputs.append((source, Array(key.utf8), Array(value.utf8)))
    }

    func deliverHeld() {
        messages += held
        held.removeAll()
    }

    /// Does all there is to do at this instant, with a commit.
    func settle(at text: String) {
        task.advance(to: at(text))
        for input in inputs {
            input.key.withUnsafeBytes { key in
                input.value.withUnsafeBytes { value in
                    let view = RecordView(
                        topic: Int32(input.source), partition: 0, offset: offset, timestamp: Instant(milliseconds: 0),
                        key: key, value: value,
                        handle: nil)
                    task.process(view, source: input.source)
                }
            }
            offset = offset.next
        }
        inputs.removeAll()
        for _ in 0..<100 {
            task.punctuate()
            task.flush()
            let taken = messages
            messages.removeAll()
            for envelope in taken { receive(envelope) }
            if taken.isEmpty { break }
        }
        task.context.outputs.forEach { entry, _, value in
            guard entry.topic == "timeline.reloads", let value else { return }
            do throws(MessageProblem) {
                reloads.append(try ReloadNotification.decode(value, with: &parser))
            } catch {
                Issue.record("a reload cannot be read: \(error)")
            }
        }
        task.context.outputs.removeAll()
        task.commit()
    }

    private func receive(_ envelope: [UInt8]) {
        do {
            try envelope.withUnsafeBytes { try task.receive($0) }
        } catch {
            Issue.record("a message cannot be read: \(error)")
        }
    }
}
