package import Agendas
package import Timelines

/// An iCalendar file (`.ics`, RFC 5545), plain or packed with gzip, read as a whole.
package struct CalendarFile {
    package let input: CalendarInput
    /// Its events, each key once.
    package let contents: ICalendarImport
    /// The problems of components that cannot be used.
    package let leftOut: [InputProblem]
    /// The problems of components that are used, but not as the file has them.
    package let remarks: [InputProblem]
    private let text: [UInt8]

    /// - Throws: if the file cannot be read or is no iCalendar text at all.
    package init(_ input: CalendarInput) throws(InputProblem) {
        self.input = input
        let source = try ByteSource(file: input.file)
        var text: [UInt8] = []
        while try source.read(into: &text) {
            guard text.count <= Self.lengthMax else {
                throw InputProblem(file: input.file, line: nil, reason: "larger than \(Self.lengthMax) bytes")
            }
        }
        let contents = ICalendar.events(in: text, calendarId: input.calendarId)
        guard !contents.events.isEmpty || text.hasLine("BEGIN:VCALENDAR") else {
            throw InputProblem(
                file: input.file, line: 1, reason: "not an iCalendar file: BEGIN:VCALENDAR is missing")
        }
        self.contents = contents
        self.text = text
        let problems = contents.problems.map {
            (isLeftOut: $0.isLeftOut, problem: InputProblem(file: input.file, line: $0.line, reason: $0.reason))
        }
        leftOut = problems.filter(\.isLeftOut).map(\.problem)
        remarks = problems.filter { !$0.isLeftOut }.map(\.problem)
    }

    /// A file, or the reason why it cannot be read.
    package typealias Reading = Result<CalendarFile, InputProblem>

    /// Reads a file; blocks.
    package static func reading(_ input: CalendarInput) -> Reading {
        do throws(InputProblem) {
            return .success(try CalendarFile(input))
        } catch {
            return .failure(error)
        }
    }

    /// The calendar in the file's X-WR-TIMEZONE; `nil` if the file has no known one.
    package var calendar: LocalCalendar? { contents.timeZone.flatMap { LocalCalendar($0) } }

    /// True if the text goes on to its end. An event that is missing from a text that was cut off is not gone.
    package var isComplete: Bool { text.hasLine("END:VCALENDAR") }

    /// The places of its components; they are searched at each call.
    package var places: [EventPlace] { EventPlace.all(in: text) }

    /// Files are held whole, unlike everything else that is read here.
    private static let lengthMax = 256 << 20
}

extension [UInt8] {
    /// True if a line begins with this text in capitals, whatever the line's case.
    fileprivate func hasLine(_ line: StaticString) -> Bool {
        line.withUTF8Buffer { line in
            var index = startIndex
            while let first = self[index...].firstIndex(where: { $0 & 0xdf == line[0] }) {
                let isFirstOfLine = first == 0 || !(0x21...0x7e).contains(self[first - 1])
                if isFirstOfLine, count - first >= line.count,
                    (0..<line.count).allSatisfy({ self[first + $0].capital == line[$0] })
                {
                    return true
                }
                index = first + 1
            }
            return false
        }
    }
}

extension UInt8 {
    fileprivate var capital: UInt8 { (0x61...0x7a).contains(self) ? self - 0x20 : self }
}
