import Messages
import Timelines

/// The members that tell which of two timelines of a configuration is the newer one.
struct TimelineStamp: Hashable {
    var revision: Int64
    /// The number of times that the timeline was made since its configuration came.
    var refreshCount: Int64
    var generatedAt: Instant?

    init(revision: Int64, refreshCount: Int64, generatedAt: Instant?) {
        self.revision = revision
        self.refreshCount = refreshCount
        self.generatedAt = generatedAt
    }

    init(_ head: TimelineHead) {
        self.init(revision: head.revision, refreshCount: head.refreshCount, generatedAt: head.generatedAt)
    }

    /// `nil` if the bytes are not a timeline.
    init?(_ json: [UInt8]) {
        var parser = JSONParser()
        guard let head = json.withUnsafeBytes({ TimelineHead($0, with: &parser) }) else { return nil }
        self.init(head)
    }

    /// Revisions and the clock have to agree. After a `reset` revisions begin at 1 again, at a later time; and the
    /// clock of a process that takes over may be a little behind although the revision has risen.
    func isOlder(than other: TimelineStamp) -> Bool {
        guard let generatedAt, let otherGeneratedAt = other.generatedAt else { return false }
        return (revision, refreshCount) < (other.revision, other.refreshCount) && generatedAt < otherGeneratedAt
    }
}
