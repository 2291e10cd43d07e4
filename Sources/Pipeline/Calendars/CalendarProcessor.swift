import Agendas
import Messages
import RecordLog
import StreamCore
import Timelines

/// The node of calendars: files the events of records (`CalendarLibrary`), and lets the subscribers of a calendar know
/// (`CalendarSubscribers`).
///
/// However many records change a calendar in one transaction, its subscribers are sent one update.
final class CalendarProcessor {
    private let settings: PipelineSettings
    private let library: CalendarLibrary
    private let subscribers: CalendarSubscribers
    private var reader = CalendarRecordReader()

    init(_ settings: PipelineSettings) {
        self.settings = settings
        library = CalendarLibrary(settings)
        subscribers = CalendarSubscribers(of: library, settings)
        library.calendars.onRelease = { [unowned self] released in
            library.forget(released)
            subscribers.forget(released)
        }
    }

    var stores: [any ChangelogStore] { library.stores + [subscribers.subscriptions] }
}

// MARK: - Records

extension CalendarProcessor: RecordProcessor {
    func process(_ record: InputRecord, _ context: TaskContext) {
        do throws(MessageProblem) {
            try settings.recordBounds.check(record)
            guard let value = record.value else { return try remove(record, context) }
            try file(value, of: record, context)
        } catch {
            context.deadLetter(record, error, settings)
            let key = CalendarRecordKey(record.key)
            // What a tombstone removes is an event: a key that names none names no calendar.
            if record.value == nil && key.event == nil { return }
            guard let calendarId = key.calendarId else { return }
            context.noteUnreadable(calendarId, at: .calendars) { id, _ in
                mark(isUnreadable: true, library.slot(of: id), context)
            }
        }
    }

    private func file(
        _ value: UnsafeRawBufferPointer, of record: InputRecord, _ context: TaskContext
    ) throws(MessageProblem) {
        let contentType = context.headers(of: record).first { $0.name == "content-type" }?.value
            .map { String(decoding: $0, as: UTF8.self) }
        if let size = contentType?.utf8.count, size > PipelineSettings.contentTypeBytesMax {
            throw MessageProblem(
                .tooLarge, field: "content-type",
                "has \(size) bytes, at most \(PipelineSettings.contentTypeBytesMax) are allowed")
        }
        let batch = try reader.read(value, contentType: contentType, key: record.key)
        let filing = try CalendarFiling(batch, CalendarRecordKey(record.key))
        guard let calendar = try calendar(filing.calendarId, orForward: record, context) else { return }
        mark(isUnreadable: false, calendar, context)
        let form = batch.form == .event ? nil : contentType
        let filed = library.file(
            batch.events, as: filing.name, value: value, contentType: form, in: calendar, of: record.origin, context)
        // Nothing is lost without a word: what was left out can be looked up, the rest is used.
        if let problem = batch.problemOfLeftOut ?? filed.problem { context.deadLetter(record, problem, settings) }
        if filed.isChange { subscribers.calendarChanged(calendar, traceParent: context.traceParent(of: record)) }
    }

    private func remove(_ record: InputRecord, _ context: TaskContext) throws(MessageProblem) {
        let key = CalendarRecordKey(record.key)
        let named = record.key ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let calendarId =
            if let calendarId = key.calendarId { calendarId } else { try EventKey.decode(named).calendarId }
        guard let calendar = try calendar(calendarId, orForward: record, context) else { return }
        let isFiled = library.isFiled(key.text)
        // Without a record of that name, it must be an event's.
        if !isFiled { _ = try EventKey.decode(named) }
        mark(isUnreadable: false, calendar, context)
        guard isFiled else { return }
        library.remove(key.text, from: calendar, of: record.origin, context)
        subscribers.calendarChanged(calendar, traceParent: context.traceParent(of: record))
    }

    /// The calendar's slot; `nil` if another task owns the calendar and gets the record.
    private func calendar(
        _ calendarId: String, orForward record: InputRecord, _ context: TaskContext
    ) throws(MessageProblem) -> Slot<CalendarState>? {
        try context.whereOwned(calendarId, orForward: record, settings) { id, _ in library.slot(of: id) }
    }

    /// Notes whether the newest record of the calendar could be read. That is no news by itself.
    private func mark(isUnreadable: Bool, _ calendar: Slot<CalendarState>, _ context: TaskContext) {
        if library.mark(isUnreadable: isUnreadable, calendar, context) { subscribers.calendarWasMarked(calendar) }
    }
}

// MARK: - Subscriptions

extension CalendarProcessor: MessageProcessor {
    func receive(_ message: SourceMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        let calendar = library.slot(of: entity)
        switch message {
        case .unreadable: mark(isUnreadable: true, calendar, context)
        case .request(let request, let subscriber):
            let calendarId = String(decoding: entity, as: UTF8.self)
            subscribers.receive(request, from: subscriber, of: calendar, calendarId, context)
        }
    }
}

extension CalendarProcessor: Punctuator, ClockFollower, ConflatingProcessor {
    var nextDue: Instant? { earlier(subscribers.nextDue, library.nextDue) }

    func count(_ load: inout TimerLoad) {
        subscribers.count(&load)
        library.count(&load)
    }

    func punctuate(_ context: TaskContext) {
        subscribers.punctuate(context)
        library.punctuate(context) { subscribers.hasSubscribers($0) }
    }

    func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        if settings.concerns(step) { subscribers.clockWentBack(context) }
    }

    var hasMoreToFlush: Bool { subscribers.hasMoreToFlush }

    var hasNews: Bool { subscribers.hasNews }

    func flush(_ context: TaskContext) { subscribers.flush(context) }
}

// MARK: - Derived from state

extension CalendarProcessor: DerivingProcessor, TransactionObserver {
    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool {
        library.finishRestore(&portion) && subscribers.finishRestore(&portion)
    }

    func committed(_ context: TaskContext) {
        library.committed()
        subscribers.committed()
    }

    func reverted(_ context: TaskContext) {
        library.reverted()
        subscribers.reverted()
    }
}

extension CalendarEventBatch {
    /// Why some of the record's events are not used, though the rest is.
    fileprivate var problemOfLeftOut: MessageProblem? {
        guard var problem = leftOut.first else { return nil }
        let more = leftOut.count > 1 ? "; so are \(leftOut.count - 1) more parts of the record" : ""
        problem.message += "; left out\(more); \(events.count) of its events are used"
        return problem
    }
}
