import Foundation
import RecordLog

/// Real timelines that are written to their topic again and again, each time as a newer version.
struct TimelineFeed {
    private struct Template {
        var id: String
        var text: String
        var headers: [Header]
    }

    private let application: Application
    private let templates: [Template]
    /// So many versions of each timeline were written.
    private(set) var versions = 0

    var ids: [String] { templates.map(\.id) }

    /// Makes the timelines of `GeneratedData`, and leaves them in the topic.
    init(_ application: Application) async throws {
        self.application = application
        var data = GeneratedData(steps: 2)
        try await data.publish(to: application)
        _ = try await application.process(clock: GeneratedData.clock)
        var newest: [String: Template] = [:]
        for record in try await application.records(of: "timelines") {
            let text = String(decoding: record.value ?? [], as: UTF8.self)
            newest[record.keyText] = Template(id: record.keyText, text: text, headers: record.headers)
        }
        templates = newest.values.sorted { $0.id < $1.id }
    }

    /// Writes the next version of each timeline, those of `gone` as tombstones; `inTheMiddle` is written between them.
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
        try await application.produce(records, to: "timelines")
    }

    /// Writes each timeline as it might have been before its newest version, and never was.
    func publishOlder() async throws {
        let records = templates.map { record($0, isGone: false, number: 999 + versions, second: 30) }
        try await application.produce(records, to: "timelines")
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
        let headers = template.headers.map { header in
            header.name == "ce_id" ? Header("ce_id", "\(template.id)/\(number)/\(time)") : header
        }
        return (key: template.id, value: isGone ? nil : Array(text.utf8), headers: headers)
    }
}
