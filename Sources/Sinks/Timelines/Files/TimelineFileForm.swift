import Foundation
import Messages
package import Timelines

/// What a configuration's file holds.
package enum TimelineFileForm: Hashable, Sendable {
    /// The record's value as it is.
    case timeline
    /// The timeline's events as a calendar to subscribe to. It begins with a kind's display name.
    case calendar(WidgetKinds)

    /// The end of the names of files.
    package var suffix: String {
        switch self {
        case .timeline: ".json"
        case .calendar: ".ics"
        }
    }

    /// The configuration and the recipient of a file.
    struct Owner: Decodable {
        var configurationId: String
        var recipient: String?
    }

    /// Makes the content of a timeline's file.
    ///
    /// - Throws: `unusable` if the value is not a timeline.
    func content(of value: [UInt8]) throws(SinkError) -> (bytes: [UInt8], stamp: TimelineStamp) {
        guard let stamp = TimelineStamp(value) else {
            throw .unusable(BadRecord(noTimeline: value))
        }
        switch self {
        case .timeline: return (value, stamp)
        case .calendar(let kinds):
            do throws(MessageProblem) {
                return try value.span.bytes.withUnsafeBytes { (bytes) throws(MessageProblem) in
                    (try TimelineCalendar(bytes, kinds: kinds).bytes, stamp)
                }
            } catch {
                throw .unusable(BadRecord(error, "no calendar can be made of the timeline"))
            }
        }
    }

    /// Reads which timeline a file shows; `nil` if it cannot be read.
    func stamp(of content: [UInt8]) -> TimelineStamp? {
        switch self {
        case .timeline: TimelineStamp(content)
        case .calendar:
            TimelineCalendarStamp(calendar: content).map {
                TimelineStamp(revision: $0.revision, refreshCount: $0.refreshCount, generatedAt: $0.generatedAt)
            }
        }
    }

    /// Reads whose file it is; `nil` if it cannot be read.
    func owner(of content: [UInt8]) -> Owner? {
        switch self {
        case .timeline: try? JSONDecoder().decode(Owner.self, from: Data(content))
        case .calendar:
            TimelineCalendarStamp(calendar: content).map {
                Owner(configurationId: $0.configurationId, recipient: $0.recipient)
            }
        }
    }

    /// True if one file is to give way to the other: it shows an older timeline, or none that can be read.
    func isSuperseded(_ old: [UInt8]?, by other: [UInt8]?) -> Bool {
        guard let other else { return false }
        guard let old, let stamp = stamp(of: old) else { return true }
        guard let otherStamp = self.stamp(of: other) else { return false }
        return other == old || !otherStamp.isOlder(than: stamp)
    }
}
