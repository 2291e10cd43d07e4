import Messages
import Testing
import Timelines

@testable import tideline

/// The board as a function of state, size and time. No broker.
@Suite struct BoardTests {
    private static let now = Instant(milliseconds: 1_795_155_900_000)  // 2026-11-20T06:25:00Z

    private static func status(_ number: Int, _ change: (inout TimelineEntry) -> Void = { _ in }) -> TimelineRecord {
        var entry = TimelineEntry(id: "a", date: now - .minutes(1), phase: .status)
        var vehicle = TimelineEntry.VehicleView(vehicleId: "v\(number)")
        vehicle.status = number.isMultiple(of: 2) ? "Moving" : "Idling"
        vehicle.alias = number.isMultiple(of: 3) ? "配送トラック \(number) 🚚" : "Car \(number)"
        vehicle.location = "301 Beech Avenue"
        entry.vehicle = vehicle
        change(&entry)
        let stale = TimelineEntry(id: "b", date: now + .minutes(5) + .seconds(2), phase: .stale)
        return record("status-\(number)", "TrackerStatusWidget", [entry, stale])
    }

    private static func record(_ id: String, _ kind: String, _ entries: [TimelineEntry]) -> TimelineRecord {
        TimelineRecord(
            configurationId: id, kind: kind, family: .systemMedium, recipient: "phone-\(id)", revision: 3,
            generatedAt: now - .seconds(12),
            timeline: Timeline(
                entries: entries, policy: .atEnd, nextUpdate: now + .minutes(7), validUntil: nil), refreshCount: 4,
            budget: ReloadBudget(limit: 48, remaining: 9, resetsAt: now))
    }

    private static func state(_ records: [TimelineRecord], reloads: Int = 5) -> BoardState {
        var state = BoardState(
            title: "Tideline", subtitle: "12 vehicles", hint: "Ctrl-C ends", began: now - .seconds(90))
        for record in records { state.add(record) }
        for index in (0..<reloads).reversed() {
            state.add(
                ReloadNotification(
                    recipient: "phone-\(index)", kind: "TrackerStatusWidget", configurationIds: ["status-\(index)"],
                    reason: .statusChanged, revision: 1, issuedAt: now - .seconds(Int64(index)),
                    budget: ReloadBudget(limit: 48, remaining: 30, resetsAt: now)))
        }
        return state
    }

    private static func lines(_ state: BoardState, _ columns: Int, _ rows: Int, at instant: Instant = now) -> [String] {
        Board(state, .utc).lines(columns: columns, rows: rows, at: instant).map { $0.text(isColored: false) }
    }

    @Test("every line is as wide as the terminal, and there are as many as it has rows, whatever its size")
    func sizes() {
        let states = [0, 1, 14, 60].map { Self.state((0..<$0).map { Self.status($0) }) }
        for state in states {
            for columns in [1, 2, 5, 7, 8, 12, 33, 34, 40, 67, 68, 80, 99, 100, 101, 132, 200] {
                for rows in [1, 2, 3, 10, 24, 60] {
                    let board = Board(state, .utc).lines(columns: columns, rows: rows, at: Self.now)
                    #expect(board.count == rows, "\(columns)x\(rows)")
                    for line in board {
                        #expect(line.width == columns, "\(columns)x\(rows): \(line.text(isColored: false))")
                    }
                }
            }
        }
    }

    @Test("a card says whose it is, what is shown now, what comes next and when")
    func card() throws {
        let lines = TimelineCard(record: Self.status(2), now: Self.now, text: BoardText(calendar: .utc))
            .lines(width: 50, height: 4).map { $0.text(isColored: false) }
        #expect(
            lines == [
                "╭─ status-2 ─────────────── TrackerStatusWidget ─╮",
                "│ ● Car 2, Moving, 301 Beech Avenue              │",
                "│ next 06:30:02 stale                    in 5:02 │",
                "╰─ revision 3 · 9 reloads left ─────── 12 s ago ─╯",
            ])
    }

    @Test("the countdown ticks each second, and at its end the next entry is the one in force")
    func countdown() {
        let card = Self.status(1)
        func line(_ index: Int, after seconds: Int64) -> String {
            TimelineCard(record: card, now: Self.now + .seconds(seconds), text: BoardText(calendar: .utc))
                .lines(width: 60, height: 4)[index].text(isColored: false)
        }
        #expect(line(2, after: 0).contains("in 5:02 "))
        #expect(line(2, after: 1).contains("in 5:01 "))
        #expect(line(2, after: 301).contains("in 0:01 "))
        #expect(line(1, after: 301).contains("◐ Car 1, Idling"))
        #expect(line(1, after: 302).contains("◌"))
        #expect(line(2, after: 302).contains("06:32:00 made anew"))
        #expect(line(2, after: 500).contains(" due "))
        #expect(BoardText.length(3723) == "1:02:03" && BoardText.length(262_800) == "3 d 1 h")
    }

    @Test("cards that have no room are counted, and what fits is shown", arguments: [(100, 30), (40, 10), (200, 60)])
    func hidden(columns: Int, rows: Int) throws {
        let records = (0..<200).map { Self.status($0) }
        let lines = Self.lines(Self.state(records), columns, rows)
        let shown = lines.joined().components("╭─")
        let hidden = try #require(lines.last?.firstMatch(of: /(\d+) more widgets/)).1
        #expect(Int(hidden) == 200 - shown, "\(lines.joined(separator: "\n"))")
        #expect(shown >= 1)
        #expect(lines[0].contains("Tideline"))
    }

    @Test("reloads stand beside the cards where there is room, the newest first, and below where there is not")
    func reloads() throws {
        let wide = Self.lines(Self.state((0..<4).map { Self.status($0) }), 120, 30)
        let first = try #require(wide.firstIndex { $0.contains("phone-0") })
        #expect(wide[first + 1].contains("statusChanged") && wide[first + 1].contains("30 left"))
        #expect(wide[first].contains("│") && wide[first + 2].contains("phone-1"))
        let narrow = Self.lines(Self.state([Self.status(1)]), 60, 20)
        let row = try #require(narrow.firstIndex { $0.contains("phone-0") })
        #expect(narrow[row].hasPrefix(" 06:25:00 phone-0") && row > 5)
    }

    @Test("a text from a file cannot steer the terminal, and marks differ without colour")
    func texts() {
        let hostile = Self.record(
            "a\u{1b}[2Jb", "K\u{7}", [TimelineEntry(id: "a", date: Self.now, phase: .error)])
        var state = Self.state([hostile])
        state.notice = "x\u{1b}[31my"
        for line in Self.lines(state, 100, 30) {
            #expect(!line.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }, "\(line)")
        }
        let phases: [TimelineEntry.Phase] = [.start, .preEvent, .end, .tick, .stale, .signedOut, .error]
        let marks = phases.map { TimelineCard.mark(of: TimelineEntry(id: "a", date: Self.now, phase: $0)).0 }
        #expect(Set(marks).count == phases.count)
        let colored = Board(state, .utc).lines(columns: 100, rows: 30, at: Self.now).map { $0.text(isColored: true) }
        #expect(colored.joined().contains("\u{1b}[31m"))
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int { self.ranges(of: part).count }
}
