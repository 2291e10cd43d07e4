internal import Foundation
public import Positions

/// One change that a server tells of.
public enum ServerEvent: Hashable, Sendable {
    /// A timeline was committed. It is in the cache already.
    case timeline(PublishedTimeline)
    /// The configuration is gone, and its timeline with it.
    case timelineRemoved(configurationId: String)
    /// A recipient is to load a widget kind anew.
    case reload(ReloadEvent)
    /// A reader's merged position was committed.
    case position(MergedPosition)
    /// Nothing is remembered any more of a reader in a configuration's timeline.
    case positionRemoved(readerId: String, configurationId: String)
    /// Events are missing here: the server does not have them any more. Load what is shown anew.
    case gap
    /// The connection stands.
    case connected
    /// The connection is lost, for the reason given; the next try is at `retryAt`.
    case disconnected(TidelineError, retryAt: Instant)
}

/// A reload as the server announces it.
public struct ReloadEvent: Hashable, Sendable {
    /// The recipient who shows the widgets.
    public var recipient: String
    /// The widget kind to load anew.
    public var kind: String
    /// The configurations that changed.
    public var configurationIds: [String]
    /// The reason, such as `statusChanged`; `nil` if the server named none.
    public var reason: String?

    /// A reload of these parts.
    public init(recipient: String, kind: String, configurationIds: [String], reason: String?) {
        self.recipient = recipient
        self.kind = kind
        self.configurationIds = configurationIds
        self.reason = reason
    }
}

/// The changes that a stream tells of.
public struct EventFilter: Hashable, Sendable {
    /// The kinds of changes.
    public enum Kind: String, CaseIterable, Sendable {
        case timelines, reloads, positions
    }

    /// The kinds of changes that are told.
    public var kinds: Set<Kind>
    /// Only what is about this configuration; `nil` means all of them.
    public var configurationId: String?
    /// Only what is about configurations of this recipient.
    public var recipient: String?
    /// Only what is about configurations of this widget kind.
    public var kind: String?
    /// Only positions of this reader; `nil` stands for the client's own reader.
    public var readerId: String?

    /// A filter; what is left out limits nothing.
    public init(
        _ kinds: Set<Kind> = [.timelines, .reloads, .positions], configurationId: String? = nil,
        recipient: String? = nil, kind: String? = nil, readerId: String? = nil
    ) {
        self.kinds = kinds
        self.configurationId = configurationId
        self.recipient = recipient
        self.kind = kind
        self.readerId = readerId
    }
}
