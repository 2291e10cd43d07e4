import Agendas
import Diagnosis
import Messages
import Pipeline
import Producers
import RecordLog
import StreamRuntime

/// Brings the topic of events to what calendar files hold.
struct CalendarPublication {
    private let environment: Environment
    private let files: [String]
    private let calendarId: String?
    private let mode: Mode
    private let pacing: Pacing

    /// What may be done beside sending what is new.
    struct Mode {
        /// Events that the files no longer have are removed.
        var prunes = false
        /// The changes are printed and nothing is sent.
        var isDryRun = false
        /// Nobody is asked before events are removed.
        var isAgreed = false
    }

    /// - Parameters:
    ///   - files: paths of iCalendar files, or of folders of them.
    ///   - calendarId: the calendar of all files; `nil` means that each file is the calendar that is named like it.
    init(_ environment: Environment, files: [String], calendarId: String?, mode: Mode, pacing: Pacing) {
        self.environment = environment
        self.files = files
        self.calendarId = calendarId
        self.mode = mode
        self.pacing = pacing
    }

    /// 1. Reads the files.
    /// 2. Reads what the topic holds of their calendars.
    /// 3. Asks, if events are to be removed.
    /// 4. Publishes what differs, or says it.
    func run() throws(CommandFailure) {
        let (contents, unreadable) = try read()
        guard !Signals.isStopRequested, let published = try environment.publishedEvents(of: contents.calendars)
        else { return }
        let changes = CalendarChanges(from: published, to: contents, prune: mode.prunes)
        for problem in contents.leftOut { writeError("left out: \(problem)") }
        for problem in contents.remarks { writeError("warning: \(problem)") }
        if mode.isDryRun {
            for change in changes.changes { print(change.json) }
            print(summary(of: changes, nil))
        } else {
            try requireConsent(to: changes)
            let done = try Publication(environment, .calendarEvents, pacing: pacing).publishWithProgress(changes)
            print(summary(of: changes, done))
        }
        if changes.kept > 0 {
            writeError(
                "the topic holds \(changes.kept) more of these calendars, which the files do not have:"
                    + " '--prune' removes them")
        }
        guard unreadable.isEmpty else {
            throw CommandFailure(.dataError, unreadable.map(\.description).joined(separator: "\ntideline: "))
        }
    }

    private func requireConsent(to changes: CalendarChanges) throws(CommandFailure) {
        guard changes.removed > 0 else { return }
        let others = changes.sent > 0 ? ", and send \(changes.sent)" : ""
        try Consent.require(
            for: "Remove \(changes.removed.counted("event")) from \(environment.topics.calendarEvents)\(others)?",
            isGiven: mode.isAgreed)
    }

    private func read() throws(CommandFailure) -> (contents: CalendarContents, unreadable: [InputProblem]) {
        let found = CalendarInput.find(files, calendarId: calendarId)
        if calendarId == nil { try requireNames(of: found.inputs) }
        var contents = CalendarContents(valueBytesMax: PipelineSettings().recordBytesMax)
        if let calendarId, !found.problems.isEmpty { contents.noteIncomplete(calendarId) }
        let progress = LateProgress("reading calendars", unit: "files", environment)
        for (index, input) in found.inputs.enumerated() {
            if Signals.isStopRequested { break }
            contents.read(input)
            progress.update(completed: index + 1, of: found.inputs.count)
        }
        progress.finish(completed: found.inputs.count)
        let unreadable = found.problems + contents.unreadable
        if contents.unreadable.count == found.inputs.count, !unreadable.isEmpty {
            throw CommandFailure(.dataError, unreadable.map(\.description).joined(separator: "\ntideline: "))
        }
        return (contents, unreadable)
    }

    /// Refuses two files of one name in different folders: they would be one calendar, and nobody would know.
    private func requireNames(of inputs: [CalendarInput]) throws(CommandFailure) {
        var first: [String: String] = [:]
        for input in inputs {
            guard let other = first.updateValue(input.file, forKey: input.calendarId) else { continue }
            throw CommandFailure(
                .dataError,
                "\(input.file): would be the calendar '\(input.calendarId)', and so would \(other):"
                    + " rename one, or give '--calendar'")
        }
    }

    /// - Parameter done: what was published; `nil` after a dry run.
    private func summary(of changes: CalendarChanges, _ done: PublishSummary?) -> String {
        JSONWriter.object { json in
            json.bool("dryRun", done == nil ? true : nil)
            done?.write(to: &json)
            json.integer("sent", done.map { changes.published($0).sent } ?? changes.sent)
            json.integer("unchanged", changes.unchanged)
            json.integer("removed", done.map { changes.published($0).removed } ?? changes.removed)
        }
    }
}

extension Environment {
    /// Reads which events the topic of events holds of some calendars.
    ///
    /// - Parameter calendars: the ids of the calendars, as UTF-8.
    /// - Returns: the events; `nil` if the program is to end first.
    func publishedEvents(of calendars: Set<[UInt8]>) throws(CommandFailure) -> PublishedEvents? {
        let topic = topics.calendarEvents
        let admin = try connect()
        try require([topic], admin)
        admin.close()
        return try readToEnd(topic) { progress throws(LogError) in
            try PublishedEvents.read(
                topic: topic, calendars: calendars, of: cluster, clock: SleepingClock(),
                shouldStop: { Signals.isStopRequested }, progress: progress)
        }
    }
}

extension CalendarChanges {
    /// The number of changes in the records that were published, which are not all if a stop came before the last one.
    fileprivate func published(_ summary: PublishSummary) -> (sent: Int, removed: Int) {
        var records = 0
        var (sent, removed) = (0, 0)
        for change in changes {
            records += change.records.count
            guard records <= summary.records else { break }
            if change.action == .remove { removed += 1 } else { sent += 1 }
        }
        return (sent, removed)
    }
}

extension CalendarChanges.Change {
    fileprivate var json: String {
        JSONWriter.object { json in
            json.string("action", action.rawValue)
            json.string("key", key.text)
        }
    }
}
