import Messages
import Timelines

/// The content of a board: the timelines by configuration, the latest reloads, and the counts of both.
struct BoardState {
    /// The name of the board.
    var title: String
    /// A text beside the title, which says what the timelines are made from.
    var subtitle: String
    /// A text that says how to leave the board.
    var hint: String
    let began: Instant
    /// A text that the reader should know, such as the last line of the log; may be empty.
    var notice = ""
    private(set) var records: [String: TimelineRecord] = [:]
    /// The latest reloads, newest first, 100 at most.
    private(set) var reloads: [ReloadNotification] = []
    private(set) var timelinesCount = 0
    private(set) var reloadsCount = 0
    private static let reloadsKept = 100

    init(title: String, subtitle: String, hint: String, began: Instant) {
        self.title = title
        self.subtitle = subtitle
        self.hint = hint
        self.began = began
    }

    mutating func add(_ timeline: TimelineRecord) {
        timelinesCount += 1
        records[timeline.configurationId] = timeline
    }

    mutating func add(_ reload: ReloadNotification) {
        reloadsCount += 1
        reloads.insert(reload, at: 0)
        if reloads.count > Self.reloadsKept { reloads.removeLast() }
    }

    /// Removes the card of a configuration that was deleted.
    mutating func remove(_ configurationId: String) {
        records[configurationId] = nil
    }

    /// The timelines by kind, then by configuration, so that a card keeps its place.
    var cards: [TimelineRecord] {
        records.values.sorted { left, right in
            left.kind == right.kind
                ? left.configurationId.precedesByUTF8(right.configurationId) : left.kind.precedesByUTF8(right.kind)
        }
    }
}
