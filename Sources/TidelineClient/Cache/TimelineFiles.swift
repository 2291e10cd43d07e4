internal import Foundation
internal import Positions

/// A timeline as it is kept: the server's bytes, its entity tag, and the instant at which the server had it.
struct CachedTimeline: Hashable, Sendable {
    var timeline: PublishedTimeline
    var body: Data
    var etag: String?
    var fetchedAt: Instant

    /// True if the server made this one later.
    func isNewer(than other: CachedTimeline) -> Bool {
        (timeline.generatedAt, timeline.revision) > (other.timeline.generatedAt, other.timeline.revision)
    }
}

/// Timelines on disk, one file each: a line of JSON about the file, then the bytes of the server.
///
/// A file is replaced as a whole, so a reader in another process, such as a widget, sees the old one or the new one.
/// The one that was used least recently is that of the oldest date of modification.
struct TimelineFiles: Sendable {
    let directory: URL

    private struct Header: Codable {
        var configurationId: String
        var etag: String?
        /// Milliseconds since 1970.
        var fetchedAt: Int64
    }

    private static let suffix = "timeline"

    // MARK: - One timeline

    /// The timeline of a configuration; `nil` if there is none. A file that cannot be read is removed.
    ///
    /// - Parameter held: what the file may still say; then it is not parsed again.
    func read(_ configurationId: String, orSame held: CachedTimeline? = nil) throws(TidelineError) -> CachedTimeline? {
        let file = url(of: configurationId)
        guard let bytes = try contents(of: file) else { return nil }
        guard let cached = Self.timeline(in: bytes, orSame: held), cached.timeline.configurationId == configurationId
        else {
            // It was written by another release, or is no file of ours.
            try remove(file)
            return nil
        }
        return cached
    }

    /// Replaces the timeline of a configuration.
    ///
    /// - Returns: true if there was none.
    func write(_ cached: CachedTimeline, usedAt now: Instant) throws(TidelineError) -> Bool {
        let header = Header(
            configurationId: cached.timeline.configurationId, etag: cached.etag,
            fetchedAt: cached.fetchedAt.milliseconds)
        let file = url(of: cached.timeline.configurationId)
        let isNew = !FileManager.default.fileExists(atPath: file.path)
        try Folder.make(directory)
        try attempt("written", file) {
            var bytes = try JSONEncoder().encode(header)
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(cached.body)
            try bytes.write(to: file, options: .atomic)
        }
        try touch(file, now)
        return isNew
    }

    /// Says that a timeline was used.
    func touch(_ configurationId: String, _ now: Instant) throws(TidelineError) {
        let file = url(of: configurationId)
        if FileManager.default.fileExists(atPath: file.path) { try touch(file, now) }
    }

    func remove(_ configurationId: String) throws(TidelineError) {
        try remove(url(of: configurationId))
    }

    // MARK: - All of them

    /// The timelines that can be read, the one that was used least recently first.
    func all() throws(TidelineError) -> [CachedTimeline] {
        var timelines: [CachedTimeline] = []
        for file in try files() {
            if let bytes = try contents(of: file), let cached = Self.timeline(in: bytes) { timelines.append(cached) }
        }
        return timelines
    }

    /// Removes the files that were used least recently, until there are at most so many.
    ///
    /// - Returns: how many were removed.
    func trim(to maximum: Int) throws(TidelineError) -> Int {
        let surplus = try files().dropLast(maximum)
        for file in surplus { try remove(file) }
        return surplus.count
    }

    /// The files, the one that was used least recently first; of one instant by name.
    private func files() throws(TidelineError) -> [URL] {
        guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
        return try attempt("listed", directory) {
            let files = try FileManager.default.contentsOfDirectory(
                at: directory, includingPropertiesForKeys: [.contentModificationDateKey])
            let dated = try files.filter { $0.pathExtension == Self.suffix }.map { file in
                (file, try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate)
            }
            return dated.sorted { left, right in
                let (date, other) = (left.1 ?? .distantPast, right.1 ?? .distantPast)
                return date == other ? left.0.path < right.0.path : date < other
            }
            .map(\.0)
        }
    }

    // MARK: - Files

    private func url(of configurationId: String) -> URL {
        directory.appending(path: "\(FileName.of(configurationId)).\(Self.suffix)")
    }

    private static func timeline(in bytes: Data, orSame held: CachedTimeline? = nil) -> CachedTimeline? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decode(Header.self, from: bytes[..<end])
        else { return nil }
        let body = Data(bytes[(end + 1)...])
        if var held, held.body == body {
            (held.etag, held.fetchedAt) = (header.etag, Instant(milliseconds: header.fetchedAt))
            return held
        }
        guard let timeline = try? PublishedTimeline(json: body) else { return nil }
        return CachedTimeline(
            timeline: timeline, body: body, etag: header.etag, fetchedAt: Instant(milliseconds: header.fetchedAt))
    }

    private func contents(of file: URL) throws(TidelineError) -> Data? {
        do {
            return try Data(contentsOf: file)
        } catch {
            guard FileManager.default.fileExists(atPath: file.path) else { return nil }
            throw .storage("\(file.path) cannot be read: \(error.localizedDescription)")
        }
    }

    private func touch(_ file: URL, _ now: Instant) throws(TidelineError) {
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
        try attempt("dated", file) {
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
        }
    }

    private func remove(_ file: URL) throws(TidelineError) {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try attempt("removed", file) { try FileManager.default.removeItem(at: file) }
    }
}

/// Names of files.
enum FileName {
    /// The text with what may not stand in a name encoded, and capitals, too: file systems of macOS do not tell them
    /// from small letters. A name that is too long for a file system is cut, and a checksum of the whole text, which
    /// follows a `~`, keeps it apart from others.
    static func of(_ text: String) -> String {
        let encoded = text.percentEncoded(keeping: isPlain)
        guard encoded.utf8.count > 150 else { return encoded }
        // FNV-1a, 64 bits.
        let sum = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(encoded.prefix(130))~\(String(sum, radix: 16))"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "~"): false
        default: true
        }
    }
}

/// Folders of a client, which its user alone may open: what somebody reads is in them.
enum Folder {
    /// Makes a folder and those above it, where they are missing.
    static func make(_ folder: URL) throws(TidelineError) {
        try attempt("made", folder) {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }
}

/// Does something with a file, and says what could not be done.
func attempt<Value>(_ done: String, _ file: URL, _ work: () throws -> Value) throws(TidelineError) -> Value {
    do {
        return try work()
    } catch {
        throw .storage("\(file.path) cannot be \(done): \(error.localizedDescription)")
    }
}
