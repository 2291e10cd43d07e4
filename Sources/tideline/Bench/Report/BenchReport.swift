import Messages

/// The results of `bench`: each quantity of each subject with its median, the ratios, and what the goals say of them.
struct BenchReport {
    var rows: [BenchRow]
    var rounds: Int
    /// The part of the full amount of data that was measured.
    var scale: Double
    /// The cores that the programs may keep busy: the machine's, or those of the container's quota.
    var cores: Int
    /// The programs of `--beside`, in their order.
    var beside: [String]
    var tally: BenchTally

    /// A line of the table.
    struct Line: Equatable {
        var quantity: BenchQuantity
        var subject: String
        /// The median of all rounds; `nil` if it was not measured.
        var median: Double?
        /// So many times as much the pipeline measured; `nil` for itself.
        var ratio: Double?
        var goal: BenchGoal?
        /// `nil` if nobody can say.
        var isMet: Bool?
    }

    /// The lines of the rows that were asked for. A quantity that was not measured has a line nevertheless.
    var lines: [Line] {
        BenchQuantity.all.filter { rows.contains($0.row) }.flatMap(lines)
    }

    private func lines(of quantity: BenchQuantity) -> [Line] {
        let known = tally.series(of: quantity)
        var subjects = known.map(\.subject)
        if subjects.first != BenchSubject.pipeline { subjects.insert(BenchSubject.pipeline, at: 0) }
        for goal in quantity.goals {
            let name = name(of: goal)
            if !subjects.contains(name) { subjects.append(name) }
        }
        return subjects.map { subject in
            let isPipeline = subject == BenchSubject.pipeline
            var line = Line(quantity: quantity, subject: subject)
            line.median = known.first { $0.subject == subject }?.median
            line.ratio = isPipeline ? nil : tally.ratio(of: quantity, to: subject)
            line.goal = quantity.goals.first { name(of: $0) == subject }
            line.isMet = line.goal.flatMap { goal in
                if goal.reference != nil { return line.ratio.map(goal.isMet) }
                // A number says nothing of another amount of data.
                return scale == 1 || !quantity.isScaled ? line.median.map(goal.isMet) : nil
            }
            return line
        }
    }

    /// The subject of the line at which a goal stands.
    private func name(of goal: BenchGoal) -> String {
        switch goal.reference {
        case .subject(let name): name
        case .firstBeside: beside.first ?? "--beside"
        case nil: BenchSubject.pipeline
        }
    }

    // MARK: - JSON

    var json: String {
        JSONWriter.object { json in
            json.integer("cores", cores)
            json.integer("rounds", rounds)
            json.number("scale", scale)
            json.array("lines", lines) { json, line in write(line, to: &json) }
        }
    }

    private func write(_ line: Line, to json: inout JSONWriter) {
        let series = tally.series(of: line.quantity).first { $0.subject == line.subject }
        json.beginObject()
        json.string("row", line.quantity.row.rawValue)
        json.string("quantity", line.quantity.name)
        json.string("of", line.subject)
        json.array("values", series?.inOrder ?? []) { $0.number($1) }
        json.number("median", line.median)
        json.number("ratio", line.ratio)
        json.string("goal", line.goal?.text)
        json.bool("isMet", line.isMet)
        json.endObject()
    }
}
