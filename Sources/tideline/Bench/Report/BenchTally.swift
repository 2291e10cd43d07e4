/// What was measured, round by round, of each quantity and subject.
struct BenchTally: Sendable {
    /// What one subject measured of a quantity. A round that gave nothing has no value.
    struct Series: Equatable, Sendable {
        let subject: String
        fileprivate(set) var values: [Int: Double] = [:]

        /// In the order of the rounds.
        var inOrder: [Double] { values.sorted { $0.key < $1.key }.map(\.value) }
        var median: Double? { inOrder.median }
    }

    private var series: [BenchQuantity: [Series]] = [:]

    /// Takes a value in; `nil` is none.
    ///
    /// - Parameter round: from 0. A later value of the same round replaces the earlier.
    mutating func add(_ value: Double?, of subject: String, to quantity: BenchQuantity, round: Int) {
        guard let value, value.isFinite else { return }
        var known = series[quantity] ?? []
        let index = known.firstIndex { $0.subject == subject } ?? known.endIndex
        if index == known.endIndex { known.append(Series(subject: subject)) }
        known[index].values[round] = value
        series[quantity] = known
    }

    /// The series of a quantity: the pipeline first, the others in the order in which they came.
    func series(of quantity: BenchQuantity) -> [Series] {
        let known = series[quantity] ?? []
        return known.filter { $0.subject == BenchSubject.pipeline }
            + known.filter { $0.subject != BenchSubject.pipeline }
    }

    /// So many times as much of a quantity as another subject the pipeline measured: the median of the rounds' ratios,
    /// because the speed of a machine drifts from round to round.
    ///
    /// - Returns: `nil` if no round has both.
    func ratio(of quantity: BenchQuantity, to subject: String) -> Double? {
        let known = series[quantity] ?? []
        guard let ours = known.first(where: { $0.subject == BenchSubject.pipeline }),
            let others = known.first(where: { $0.subject == subject })
        else { return nil }
        let ratios = ours.values.sorted { $0.key < $1.key }.compactMap { round, value -> Double? in
            guard let other = others.values[round], other > 0 else { return nil }
            return value / other
        }
        return ratios.median
    }
}

extension [Double] {
    /// The middle one, or the mean of the two in the middle; `nil` if there is none.
    var median: Double? {
        guard !isEmpty else { return nil }
        let ascending = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (ascending[middle - 1] + ascending[middle]) / 2 : ascending[middle]
    }

    /// The value below which a part of all lies; `nil` if there is none.
    ///
    /// - Parameter part: from 0 to 1.
    func quantile(_ part: Double) -> Double? {
        guard !isEmpty else { return nil }
        return sorted()[Int((part * Double(count - 1)).rounded())]
    }
}
