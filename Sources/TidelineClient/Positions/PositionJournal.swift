internal import Foundation
internal import Positions

/// The file that a device keeps its places in. It survives a crash at any instant.
///
/// Each line is JSON: what was done since the line before, or the whole state. A save appends one line and waits until
/// the disk has it. Of a line that a crash cut off, nothing counts; the next save writes over it. When the file has
/// grown, a new one with the state alone takes its place in one step.
///
/// A lock is held only while the file is read or written, so an app and its widgets may share it: what another process
/// appended is read before anything is written. Any thread may call, one at a time.
struct PositionJournal {
    /// The names of those whose places a journal has. They stand in its first line.
    struct Owner: Codable, Hashable, Sendable {
        var readerId: String
        var configurationId: String
    }

    let file: URL
    private let owner: Owner
    private let settings: PositionSettings
    private(set) var state = PositionState()
    /// How many lines could not be read and were passed over; a cut one at the end counts, too.
    private(set) var skippedLines = 0
    /// How often the journal was saved by this process.
    private(set) var saves = 0

    /// The file whose lines are in `state`, and how many bytes of it.
    private var source: LockedFile.Identity?
    private var read = 0
    private var sizeOfState = 0

    /// How large a file may grow, at least, before it is written anew.
    private static let compactionMin = 64 << 10

    private struct Line: Codable {
        /// The names, in the first line; a journal of before has none.
        var owner: Owner?
        /// The instant of the last success, where nothing else has changed.
        var lastSync: Int64?
        var moves: PositionMoves?
        var state: PositionState?
    }

    /// - Throws: `.storage` if the folder or the file cannot be used, or the file has another owner.
    init(file: URL, owner: Owner, settings: PositionSettings) throws(TidelineError) {
        self.file = file
        self.owner = owner
        self.settings = settings.remembering
        try Folder.make(file.deletingLastPathComponent())
        let descriptor = try LockedFile(file)
        try catchUp(descriptor)
    }

    // MARK: - Saving

    /// Appends what was done on this device. When it returns, the disk has it.
    mutating func append(_ moves: PositionMoves) throws(TidelineError) {
        let descriptor = try LockedFile(file)
        try catchUp(descriptor)
        try write(Line(moves: moves), descriptor)
        state.add(moves, settings: settings)
        if read > max(Self.compactionMin, 4 * sizeOfState) { try rewrite(descriptor) }
    }

    /// Changes the state as the file has it by now. When it returns, the disk has it.
    mutating func update(_ change: (inout PositionState) -> Void) throws(TidelineError) {
        let descriptor = try LockedFile(file)
        try catchUp(descriptor)
        var changed = state
        change(&changed)
        guard changed != state else { return }
        var synced = state
        synced.lastSync = changed.lastSync
        // A device asks every minute, and mostly there is nothing new: that takes no line with the whole state.
        try write(changed == synced ? Line(lastSync: changed.lastSync) : Line(state: changed), descriptor)
        state = changed
        if read > max(Self.compactionMin, 4 * sizeOfState) { try rewrite(descriptor) }
    }

    /// Drops what has expired, and writes the file anew with the state alone.
    mutating func compact(at instant: Instant) throws(TidelineError) {
        let descriptor = try LockedFile(file)
        try catchUp(descriptor)
        state.expire(at: instant, settings: settings)
        try rewrite(descriptor)
    }

    private mutating func write(_ line: Line, _ descriptor: borrowing LockedFile) throws(TidelineError) {
        var line = line
        if read == 0 { line.owner = owner }
        let bytes = try Self.bytes(of: line, file)
        try descriptor.write(bytes, at: read)
        read += bytes.count
        if line.state != nil { sizeOfState = bytes.count }
        saves += 1
    }

    private mutating func rewrite(_ descriptor: borrowing LockedFile) throws(TidelineError) {
        let bytes = try Self.bytes(of: Line(owner: owner, state: state), file)
        source = try descriptor.replace(with: bytes)
        (read, sizeOfState) = (bytes.count, bytes.count)
        saves += 1
    }

    private static func bytes(of line: Line, _ file: URL) throws(TidelineError) -> Data {
        try attempt("written", file) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(line) + [UInt8(ascii: "\n")]
        }
    }

    // MARK: - Reading

    /// Takes in what the file has that `state` has not: all of it if the file is another one than before.
    private mutating func catchUp(_ descriptor: borrowing LockedFile) throws(TidelineError) {
        let (found, size) = try descriptor.identity()
        if source != found || size < read {
            source = found
            (state, read, sizeOfState) = (PositionState(), 0, 0)
        }
        guard size > read else { return }
        let bytes = try descriptor.bytes(from: read, to: size)
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            try apply(bytes[start..<end])
            start = end + 1
        }
        read += start - bytes.startIndex
        if start < bytes.endIndex {
            // Nobody else writes now, so this is what a crash has cut off.
            skippedLines += 1
            try descriptor.cut(at: read)
        }
    }

    private mutating func apply(_ bytes: Data) throws(TidelineError) {
        guard let line = try? JSONDecoder().decode(Line.self, from: bytes) else {
            skippedLines += 1
            return
        }
        if let found = line.owner, !found.isSame(as: owner) {
            throw .storage("\(file.path) belongs to another reader or configuration")
        }
        if let state = line.state {
            self.state = state
            sizeOfState = bytes.count
        }
        if let lastSync = line.lastSync { state.lastSync = lastSync }
        if let moves = line.moves { state.add(moves, settings: settings) }
    }
}

extension PositionJournal.Owner {
    /// True if both have the same names, byte by byte.
    fileprivate func isSame(as other: Self) -> Bool {
        readerId.utf8.elementsEqual(other.readerId.utf8)
            && configurationId.utf8.elementsEqual(other.configurationId.utf8)
    }
}
