import Foundation

/// The report as a table for people, which is Markdown besides.
struct BenchTable {
    private let report: BenchReport

    init(_ report: BenchReport) {
        self.report = report
    }

    var lines: [String] {
        var rows = [["row", "what", "of", "median", "tideline beside it", "goal", ""]]
        var last: BenchQuantity?
        for line in report.lines {
            let isFirst = line.quantity != last
            last = line.quantity
            rows.append([
                isFirst ? line.quantity.row.rawValue : "", isFirst ? line.quantity.title : "", line.subject,
                line.median.map { text($0, decimals: line.quantity.decimals) } ?? "–",
                line.ratio.map { text($0, decimals: 2) + " ×" } ?? "", line.goal?.text ?? "",
                line.isMet.map { $0 ? "met" : "missed" } ?? (line.goal == nil ? "" : "–"),
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { cells in
            let padded = zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        lines.insert("|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|", at: 1)
        return [head] + lines + remarks
    }

    private var head: String {
        let rounds = report.rounds == 1 ? "1 round" : "\(report.rounds) rounds"
        let part = text(report.scale * 100, decimals: 1)
        return "Medians of \(rounds), \(report.cores) cores, \(part) % of the full amount of data\n"
    }

    private var remarks: [String] {
        report.rows.contains(.simulatedDay) ? ["", "Row C, a simulated day, is `make day`."] : []
    }

    private func text(_ value: Double, decimals: Int) -> String {
        String(format: "%.\(decimals)f", value)
    }
}
