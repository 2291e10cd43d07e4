/// The figures of a day as a table for people.
package struct DayTable {
    private let day: FleetDay
    private let figures: DayFigures

    package init(_ day: FleetDay, _ figures: DayFigures) {
        self.day = day
        self.figures = figures
    }

    /// Markdown.
    package var lines: [String] {
        let perDay = 24 / Double(day.scale.hours) / Double(max(1, day.configurations))
        var rows: [(String, String)] = [
            ("vehicles, configurations", "\(count(day.scale.vehicles)), \(count(day.configurations))"),
            ("changes of status put in", count(day.statusChanges)),
            ("timelines published", count(figures.timelines)),
            ("of them renewals", count(figures.renewals)),
            ("of them made by a change (changes seen)", count(figures.changes)),
            ("changes visible", count(figures.visibleChanges)),
            ("reloads sent", count(figures.reloads)),
            ("configurations named in them", count(figures.named)),
            ("named, per configuration and day", decimal(Double(figures.named) * perDay)),
            ("named after a wait for a token", count(figures.waited)),
            ("changes taken back before they were announced", count(figures.dropped)),
            ("changes that recipients found at a nextUpdate", count(figures.foundByThemselves)),
        ]
        rows += figures.reasons.sorted { $0.key < $1.key }.map { ("reloads, \($0.key)", count($0.value)) }
        rows += figures.kinds.sorted { $0.key < $1.key }.map { kind, figures in
            ("most in any 24 hours, \(kind)", "\(figures.mostInADay) of \(figures.limit)")
        }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, value in
            "| \(name)\(String(repeating: " ", count: width - name.count)) | \(value) |"
        }
    }

    private func count(_ number: Int) -> String {
        var digits = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0 && index % 3 == 0 { digits.append(",") }
            digits.append(digit)
        }
        return String(digits.reversed())
    }

    private func decimal(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
