/// The rows that read all of an input as fast as it goes: A, B, G, H and I.
extension BenchRun {
    /// Rows A, G with few vehicles, and I: telemetry of a fleet that seldom has news.
    func measureFleet(_ round: Int) throws(CommandFailure) {
        guard rows.contains(where: { [BenchRow.cost, .growth, .threads].contains($0) }) else { return }
        let records = records(of: .fillFleet)
        if let figures = try finish(try programs.pipeline(application("fleet-\(round)"))) {
            let cost = figures.cpuSecondsPerMillion(of: records)
            take(costs(figures, records), of: BenchSubject.pipeline, round: round)
            take([(.growth, cost)], of: BenchSubject.fewVehicles, round: round)
            take(
                [(.threadCost, cost), (.threadRate, figures.recordsPerSecond)], of: BenchSubject.oneThread,
                round: round)
        }
        if rows.contains(.threads), !Signals.isStopRequested {
            let program = try programs.pipeline(application("threads-\(round)"), streamThreads: 2)
            if let figures = try finish(program) {
                let cost = figures.cpuSecondsPerMillion(of: records)
                take(
                    [(.threadCost, cost), (.threadRate, figures.recordsPerSecond)], of: BenchSubject.pipeline,
                    round: round)
            }
        }
        guard rows.contains(.cost), !Signals.isStopRequested else { return }
        if let figures = try finish(try programs.step(.floor)) {
            take(costs(figures, records), of: BenchSubject.floor, round: round)
        }
        try measureBeside("fleet-\(round)", round) { costs($0, records) }
    }

    private func costs(_ figures: ProgramFigures, _ records: Int) -> [(BenchQuantity, Double?)] {
        [
            (.cost, figures.cpuSecondsPerMillion(of: records)), (.rate, figures.recordsPerSecond),
            (.memory, figures.peakMegabytes),
        ]
    }

    /// Row G with very many vehicles: as much telemetry, and as many of them subscribed.
    func measureGrowth(_ round: Int) throws(CommandFailure) {
        guard let figures = try finish(try programs.pipeline(application("growth-\(round)"))) else { return }
        let cost = figures.cpuSecondsPerMillion(of: records(of: .fillLargeFleet))
        take([(.growth, cost)], of: BenchSubject.pipeline, round: round)
    }

    /// Row B: nearly every report makes a timeline.
    func measureManyTimelines(_ round: Int) throws(CommandFailure) {
        var before = try topics.timelinesEnd()
        func values(_ figures: ProgramFigures) throws(CommandFailure) -> [(BenchQuantity, Double?)] {
            let after = try topics.timelinesEnd()
            defer { before = after }
            return [
                (.manyCost, figures.cpuSeconds), (.manyWall, figures.wallSeconds),
                (.manyMemory, figures.peakMegabytes), (.manyPublished, Double(after - before) / 1000),
            ]
        }
        if let figures = try finish(try programs.pipeline(application("timelines-\(round)"))) {
            take(try values(figures), of: BenchSubject.pipeline, round: round)
        }
        try measureBeside("timelines-\(round)", round, values)
    }

    /// Row H: events of calendars, each of which five widgets show.
    func measureCalendars(_ round: Int) throws(CommandFailure) {
        guard let figures = try finish(try programs.pipeline(application("calendars-\(round)"))) else { return }
        take(
            [(.calendarTime, figures.wallSeconds), (.calendarCost, figures.cpuSeconds)], of: BenchSubject.pipeline,
            round: round)
    }

    // MARK: - Parts

    private func measureBeside(
        _ name: String, _ round: Int, _ values: (ProgramFigures) throws(CommandFailure) -> [(BenchQuantity, Double?)]
    ) throws(CommandFailure) {
        for program in programs.beside where !Signals.isStopRequested {
            try topics.removeOfOthers()
            guard let figures = try finish(beside: program, application("\(program.name)-\(name)")) else { continue }
            take(try values(figures), of: program.name, round: round)
        }
    }

    func records(of step: BenchStep) -> Int {
        BenchFill(step, scale: programs.scale)?.records ?? 0
    }
}
