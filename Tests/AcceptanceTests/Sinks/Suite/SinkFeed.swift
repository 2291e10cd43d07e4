import Foundation
import RecordLog

/// Timelines or reloads that are written to their topic again and again, each time as a newer version.
struct SinkFeed {
    private struct Template {
        var id: String
        var text: String
        var headers: [Header]
    }

    private let application: Application
    private let topic: String
    private let templates: [Template]
    /// So many versions of each were written.
    private(set) var versions = 0

    var ids: [String] { templates.map(\.id) }

    /// Leaves the first version in the topic.
    init(_ content: SinkGuarantee.Content, of application: Application) async throws {
        self.application = application
        topic = content.topic
        switch content {
        case .timelines: templates = try await Self.timelines(of: application)
        case .reloads:
            templates = Self.reloads
            try await publish()
        }
    }

    /// Real timelines, of `GeneratedData`, which are in the topic then.
    private static func timelines(of application: Application) async throws -> [Template] {
        var data = GeneratedData(steps: 2)
        try await data.publish(to: application)
        _ = try await application.process(clock: GeneratedData.clock)
        var newest: [String: Template] = [:]
        for record in try await application.records(of: "timelines") {
            let text = String(decoding: record.value ?? [], as: UTF8.self)
            newest[record.keyText] = Template(id: record.keyText, text: text, headers: record.headers)
        }
        return newest.values.sorted { $0.id < $1.id }
    }

    /// One of each recipient, which names a configuration of the same name.
    private static var reloads: [Template] {
        (0..<220).map { number in
            let id = "phone-\(1000 + number)"
            let text = """
                {"recipient":"\(id)","kind":"Board","configurationIds":["\(id)"],"reason":"dataChanged","revision":1,\
                "issuedAt":"2026-03-01T12:00:00Z","budget":{"limit":48,"remaining":6,\
                "resetsAt":"2026-03-01T13:00:00Z"}}
                """
            return Template(id: id, text: text, headers: [Header("ce_id", "\(id)/1")])
        }
    }

    /// Writes the next version of each, those of `gone` as tombstones; `inTheMiddle` is written between them.
    ///
    /// - Parameters:
    ///   - count: so many versions, one after the other.
    ///   - absent: those of which nothing is written.
    mutating func publish(
        versions count: Int = 1, gone: Set<String> = [], without absent: Set<String> = [],
        inTheMiddle: [(key: String?, value: [UInt8]?, headers: [Header])] = []
    ) async throws {
        var records: [(key: String?, value: [UInt8]?, headers: [Header])] = []
        for _ in 0..<count {
            versions += 1
            let written = templates.filter { !absent.contains($0.id) }
            records += written.map { record($0, isGone: gone.contains($0.id)) }
        }
        records.insert(contentsOf: inTheMiddle, at: records.count / 2)
        try await application.produce(records, to: topic)
    }

    /// Writes each as it might have been before its newest version, and never was.
    func publishOlder() async throws {
        let records = templates.map { record($0, isGone: false, number: 999 + versions, second: 30) }
        try await application.produce(records, to: topic)
    }

    private func record(
        _ template: Template, isGone: Bool, number: Int? = nil, second: Int = 0
    ) -> (key: String?, value: [UInt8]?, headers: [Header]) {
        let number = number ?? 1000 + versions
        // A minute for each version, all of them after the first ones.
        let time = Date(timeIntervalSince1970: 1_772_409_600 + Double(60 * number + second)).ISO8601Format()
        let text = template.text
            .replacing(/"revision":\d+/, with: #""revision":\#(number)"#, maxReplacements: 1)
            .replacing(/"generatedAt":"[^"]*"/, with: #""generatedAt":"\#(time)""#, maxReplacements: 1)
            .replacing(/"issuedAt":"[^"]*"/, with: #""issuedAt":"\#(time)""#, maxReplacements: 1)
        let headers = template.headers.map { header in
            header.name == "ce_id" ? Header("ce_id", "\(template.id)/\(number)/\(time)") : header
        }
        return (key: template.id, value: isGone ? nil : Array(text.utf8), headers: headers)
    }
}
