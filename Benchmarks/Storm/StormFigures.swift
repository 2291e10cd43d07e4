import Foundation

/// The figures of one storm.
struct StormFigures {
    var name: String
    /// Widgets that must get one timeline each.
    var wanted: Int
    var seconds: Double
    var cpuSeconds: Double
    var peakMegabytes: Double
    var watch: StormWatch.Figures
    var probes: StormProbes.Figures

    var isGood: Bool { watch.reached == wanted && watch.doubled == 0 && probes.missing == 0 }
}

/// The table that is printed, a column for each storm.
struct StormTable {
    private let figures: [StormFigures]
    private let aborts: Int

    init(_ figures: [StormFigures], aborts: Int) {
        self.figures = figures
        self.aborts = aborts
    }

    var lines: [String] {
        [row("") { $0.name }, "|---|" + figures.map { _ in "---|" }.joined()]
            + [
                row("widgets with one new timeline, with more, without") {
                    "\($0.watch.reached - $0.watch.doubled), \($0.watch.doubled), \($0.wanted - $0.watch.reached)"
                },
                row("seconds, timelines a second") {
                    "\(text($0.seconds, 1)), \(text(Double($0.wanted) / $0.seconds))"
                },
                row("CPU of the program, a timeline with all that follows") {
                    "\(text($0.cpuSeconds)) s, \(text($0.cpuSeconds / Double($0.wanted) * 1e6)) µs"
                },
                row("transactions") { "\($0.watch.seconds.count)" },
                row("from commit to commit of a task: median, longest") {
                    "\(text($0.watch.seconds.quantile(0.5), 2)) s, \(text($0.watch.seconds.last ?? .nan, 2)) s"
                },
                row("changelog records of a transaction: median, most") {
                    "\(text($0.watch.changes.quantile(0.5))), \(text($0.watch.changes.last ?? .nan))"
                },
                row("telemetry of others meanwhile, to its timeline: p50, p99") { times($0.probes.inPlace) },
                row("the same through the exchange: p50, p99") { times($0.probes.forwarded) },
                row("records of others: written, not shown") { "\($0.probes.written), \($0.probes.missing)" },
                row("memory of the program at its peak") { "\(text($0.peakMegabytes)) MB" },
                "aborts: \(aborts)",
            ]
    }

    private func row(_ name: String, _ cell: (StormFigures) -> String) -> String {
        "| \(name) | " + figures.map { cell($0) + " |" }.joined(separator: " ")
    }

    private func times(_ milliseconds: [Double]) -> String {
        "\(text(milliseconds.quantile(0.5))) ms, \(text(milliseconds.quantile(0.99))) ms"
    }

    private func text(_ value: Double, _ digits: Int = 0) -> String { String(format: "%.\(digits)f", value) }
}

/// What a process has used, as Linux counts it.
struct ProcessUsage {
    var cpuSeconds = Double.nan
    var peakMegabytes = Double.nan

    init(_ process: pid_t?) {
        guard let process, let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        else { return }
        // The program's name, in parentheses, may have spaces; 12 and 13 behind it are the ticks.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        if fields.count > 12, let user = Double(fields[12]), let system = Double(fields[13]) {
            cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = peak?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
        if let kilobytes { peakMegabytes = kilobytes / 1024 }
    }
}

/// At once, also where it goes to a file: a run takes many minutes.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
