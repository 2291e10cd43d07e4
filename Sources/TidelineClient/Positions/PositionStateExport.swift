internal import Foundation
public import Positions

/// A report of a device: its reader's positions, and how its journal fares.
public struct PositionStateExport: Hashable, Codable, Sendable {
    /// The places, the sync status, the settings in force and the restores by method.
    public var positions: PositionDebugExport
    /// This device.
    public var deviceId: String
    /// How many entries have a place or a mark that waits for the server.
    public var pending: Int
    /// How many entries have a place or a mark that is not in the journal yet.
    public var unsaved: Int
    /// How many places and marks were refused because positions are not enabled, or because the id of the entry was
    /// empty or longer than 4096 bytes.
    public var refused: Int
    /// How many entries have a place or a mark that the server refused for its content. They stay on this device and
    /// are not sent again.
    public var setAside: Int
    /// How often this process saved the journal.
    public var saves: Int
    /// How often it could not; what was to be saved stays in memory.
    public var failedSaves: Int
    /// How many lines of the journal could not be read: a crash had cut them off, or another release wrote them.
    public var skippedLines: Int

    /// The export as JSON, with its keys in order.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
