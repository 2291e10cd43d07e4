import Messages
import Timelines

/// What a board shows: the timelines by configuration, the latest reloads, how many there were.
struct BoardState {
    /// Names the board.
    var title: String
    /// Beside the title: what the timelines are made from.
    var subtitle: String
    /// How the board is left.
    var hint: String
    let began: Instant
    /// Something the board's reader should know; empty: nothing.
    var notice = ""
    private(set) var records: [String: TimelineRecord] = [:]
    /// The newest first.
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

    /// A configuration is no more.
    mutating func remove(_ configurationId: String) {
        records[configurationId] = nil
    }

    /// By kind, then configuration, so that a card keeps its place.
    var cards: [TimelineRecord] {
        records.values.sorted { left, right in
            left.kind == right.kind
                ? left.configurationId.precedesByUTF8(right.configurationId) : left.kind.precedesByUTF8(right.kind)
        }
    }
}
