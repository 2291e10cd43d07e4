import Messages
import Positions
import RecordLog
import Timelines

/// What the merged positions of readers tell, held against a merge of all that their devices said.
struct ReaderAudit: ~Copyable {
    private let topics: TopicNames
    private let settings: PositionSettings
    private var parser = JSONParser()
    /// By key: the newest record; `nil` after a tombstone.
    private var newest: [String: MergedPosition?] = [:]

    init(_ topics: TopicNames, _ settings: PositionSettings) {
        self.topics = topics
        self.settings = settings
    }

    mutating func take(_ record: Record) throws {
        let key = String(decoding: record.key ?? [], as: UTF8.self)
        guard let value = record.value else {
            newest[key] = .some(nil)
            return
        }
        newest[key] = try value.withUnsafeBytes { try MergedPosition.decode($0, with: &parser) }
    }

    /// - Parameter inputs: of all topics; those of one reader in their order.
    func judge(against inputs: [Record]) -> [Symptom] {
        var positions: [ReaderKey: ReaderPositions] = [:]
        var parser = JSONParser()
        for input in inputs where input.topic == topics.positions {
            guard let key = input.key.flatMap({ key in key.withUnsafeBytes { try? PositionKey.decode($0) } }) else {
                continue
            }
            var known = positions[key.reader] ?? ReaderPositions()
            if let value = input.value {
                guard let record = value.withUnsafeBytes({ try? PositionRecord.decode($0, with: &parser) }) else {
                    continue
                }
                known.record(record, arrival: input.timestamp, settings: settings)
            } else {
                known.forget(deviceId: key.deviceId)
            }
            positions[key.reader] = known
        }
        var found: [Symptom] = []
        for (reader, known) in positions.sorted(by: { $0.key.text < $1.key.text }) {
            let right = known.merged(readerId: reader.readerId, configurationId: reader.configurationId)
            let text = newest[reader.text] ?? nil
            if text != right {
                found.append(
                    Symptom(
                        .readersDiverged,
                        "\(reader.text): \(Self.text(text)) instead of \(Self.text(right))"))
            }
        }
        return found
    }

    private static func text(_ merged: MergedPosition?) -> String {
        guard let merged else { return "nothing" }
        var json = JSONWriter()
        merged.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
