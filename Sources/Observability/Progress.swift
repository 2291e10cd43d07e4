/// The progress of some work, and the lines that show it.
struct Progress {
    let title: String
    let unit: String
    var total: Int?
    private(set) var completed = 0
    private let start: ContinuousClock.Instant
    /// Counts at instants at least a second apart, the oldest about ten seconds back: the rate is taken over these, so
    /// that it follows a change but does not jump.
    private var samples: [(instant: ContinuousClock.Instant, completed: Int)]

    init(title: String, unit: String, total: Int?, start: ContinuousClock.Instant) {
        self.title = title
        self.unit = unit
        self.total = total
        self.start = start
        self.samples = [(start, 0)]
    }

    mutating func advance(by count: Int, at instant: ContinuousClock.Instant) {
        completed += count
        sample(at: instant)
    }

    mutating func update(completed: Int, at instant: ContinuousClock.Instant) {
        if completed < self.completed {
            samples = [(instant, completed)]
        }
        self.completed = completed
        sample(at: instant)
    }

    private mutating func sample(at instant: ContinuousClock.Instant) {
        guard let last = samples.last, instant - last.instant >= .seconds(1) else { return }
        samples.append((instant, completed))
        if samples.count > 11 {
            samples.removeFirst()
        }
    }

    /// Units per second over the last ten seconds or so; zero before there is any time to measure.
    func rate(at instant: ContinuousClock.Instant) -> Double {
        guard let oldest = samples.first, instant > oldest.instant else { return 0 }
        return Double(completed - oldest.completed) / (instant - oldest.instant).inSeconds
    }

    /// The line for a terminal, at most `columns` wide; the bar takes the room that is left, and
    /// is left out if there is none.
    func bar(at instant: ContinuousClock.Instant, columns: Int) -> String {
        let columns = max(0, columns)
        let text = " " + measures(at: instant).joined(separator: "  ")
        let width = min(30, columns - title.count - text.count - 3)
        guard let fraction, width >= 5 else { return String("\(title) \(text)".prefix(columns)) }
        let filled = Int((fraction * Double(width)).rounded(.down))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(title)  \(bar)\(text)"
    }

    /// The number of tenths of the total that are done; 0 if the total is not known.
    var tenth: Int { Int((fraction ?? 0) * 10) }

    /// The line for a log.
    func line(at instant: ContinuousClock.Instant) -> ProgressBar.Line {
        let rate = rate(at: instant)
        var metadata = metadata(at: instant, rate: rate)
        if let total, let fraction {
            metadata["total"] = .number(total)
            metadata["percent"] = .number(Int(fraction * 100))
            if let left = left(at: rate) { metadata["leftMs"] = .milliseconds(left) }
        }
        return ProgressBar.Line(
            text: "\(title): \(measures(at: instant).joined(separator: ", "))", title: title, metadata: metadata)
    }

    /// The last line.
    func summary(at instant: ContinuousClock.Instant) -> ProgressBar.Line {
        let elapsed = instant - start
        let rate = elapsed > .zero ? Double(completed) / elapsed.inSeconds : 0
        return ProgressBar.Line(
            text: "\(title): \(completed.grouped) \(unit) in \(elapsed.clockText), \(rate.shortText)/s", title: title,
            metadata: metadata(at: instant, rate: rate))
    }

    private func metadata(at instant: ContinuousClock.Instant, rate: Double) -> Logger.Metadata {
        [unit: .number(completed), "\(unit)PerSecond": .number(rate), "elapsedMs": .milliseconds(instant - start)]
    }

    private func left(at rate: Double) -> Duration? {
        guard let total, rate > 0, completed < total else { return nil }
        return .seconds(Double(total - completed) / rate)
    }

    private var fraction: Double? {
        total.map { $0 == 0 ? 1 : min(1, Double(completed) / Double($0)) }
    }

    private func measures(at instant: ContinuousClock.Instant) -> [String] {
        let rate = rate(at: instant)
        guard let total, let fraction else {
            return ["\(completed.grouped) \(unit)", "\(rate.shortText)/s", (instant - start).clockText]
        }
        let count = "\(completed.grouped) of \(total.grouped) \(unit)"
        var result = ["\(Int(fraction * 100))%", count, "\(rate.shortText)/s"]
        if let left = left(at: rate) { result.append("\(left.clockText) left") }
        return result
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        self / .seconds(1)
    }

    /// `0:07`, `12:30`, `1:02:03`.
    fileprivate var clockText: String {
        let seconds = Int(inSeconds.rounded())
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60]
        let shown = parts[0] == 0 ? parts[1...] : parts[...]
        return shown.enumerated()
            .map { $0.offset > 0 && $0.element < 10 ? "0\($0.element)" : "\($0.element)" }
            .joined(separator: ":")
    }
}

extension Int {
    /// The number in groups of three: `1,234,567`.
    fileprivate var grouped: String {
        var result = ""
        for (index, digit) in String(magnitude).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { result.append(",") }
            result.append(digit)
        }
        return (self < 0 ? "-" : "") + String(result.reversed())
    }
}

extension Double {
    /// Below ten with one decimal, else whole and grouped.
    fileprivate var shortText: String {
        self < 9.95 ? "\((self * 10).rounded() / 10)" : Int(rounded()).grouped
    }
}
