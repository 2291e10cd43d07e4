import StreamCore
import Timelines

/// How much of calendars a configuration's state keeps (R11).
///
/// If the agendas of all its calendars together are too large, none of them is kept, only the size of each: so it does
/// not matter which came first, and nothing is shown of which a part is missing. The timeline is an `error` then. When
/// the sizes fit again, all are asked for anew before the next timeline (`TimelineMaker.isCurrent`).
extension ConfigurationState {
    /// The bytes of all agendas, kept or not.
    var agendasBytes: Int { sources.reduce(0) { $0 + ($1.content?.agendaBytes ?? 0) } }

    /// Some agendas are not kept.
    var hasLeftOut: Bool { sources.contains { ($0.content?.leftOutBytes ?? 0) > 0 } }

    /// Forgets the agendas if they are too large together.
    mutating func leaveOutAgendas(above bytesMax: Int) {
        guard agendasBytes > bytesMax else { return }
        for index in sources.indices { sources[index].content?.leaveOutOccurrences() }
    }

    /// Names the calendar that takes most, and what is allowed; `nil` if all agendas are kept.
    func agendasProblem(_ bytesMax: Int) -> ConfigurationProblem? {
        guard hasLeftOut else { return nil }
        let calendars = sources.compactMap { source in
            if case .calendar(let id) = source.id { (id: id, bytes: source.content?.agendaBytes ?? 0) } else { nil }
        }
        guard let largest = calendars.max(by: { $0.bytes < $1.bytes }) else { return nil }
        return ConfigurationProblem(
            key: "calendarIds",
            """
            the events of the days that are shown have \(agendasBytes) bytes, \(largest.bytes) of them in the calendar \
            \(largest.id.prefix(bytes: 200)), at most \(bytesMax) are kept
            """)
    }
}

extension SourceContent {
    var agendaBytes: Int { leftOutBytes > 0 ? leftOutBytes : occurrences.reduce(0) { $0 + $1.agendaBytes } }

    fileprivate mutating func leaveOutOccurrences() {
        leftOutBytes = agendaBytes
        occurrences = []
    }
}

// MARK: - Stored form

extension ConfigurationState {
    /// Writes the sizes of agendas that are not kept, by the sources' places.
    func encodeLeftOut(into writer: inout ByteWriter) {
        writer.write(list: sources) { $0.write(count: $1.content?.leftOutBytes ?? 0) }
    }

    mutating func readLeftOut(from reader: inout ByteReader) throws(CorruptBytes) {
        let sizes = try reader.list { reader throws(CorruptBytes) in Int(truncatingIfNeeded: try reader.varint()) }
        guard sizes.count == sources.count else {
            throw CorruptBytes("\(sizes.count) sizes of \(sources.count) agendas")
        }
        for index in sources.indices { sources[index].content?.leftOutBytes = sizes[index] }
    }
}
