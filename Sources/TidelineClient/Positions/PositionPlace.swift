internal import Foundation
internal import Positions

/// Whose places a store keeps, and where.
struct PositionPlace: Sendable {
    var readerId: String
    var configurationId: String
    var deviceId: String
    /// The file of the journal.
    var journal: URL

    init(readerId: String, configurationId: String, deviceId: String, directory: URL) {
        self.readerId = readerId
        self.configurationId = configurationId
        self.deviceId = deviceId
        journal = directory.appending(path: "positions").appending(path: FileName.of(readerId))
            .appending(path: "\(FileName.of(configurationId)).journal")
    }
}

/// The name of a device that was given none: made once by chance, and kept in a file.
enum DeviceName {
    /// Blocks the thread.
    static func kept(in directory: URL, _ random: RandomNumber) throws(TidelineError) -> String {
        let file = directory.appending(path: "device")
        try Folder.make(directory)
        let descriptor = try LockedFile(file)
        let size = try descriptor.identity().size
        let text = String(decoding: try descriptor.bytes(from: 0, to: size), as: UTF8.self)
        if text.hasSuffix("\n"), text.utf8.count == digits + 1 { return String(text.dropLast()) }
        let name = (0..<digits).map { _ in String(Int(random() * 16), radix: 16) }.joined()
        try descriptor.write(Data("\(name)\n".utf8), at: 0)
        return name
    }

    /// 96 bits: no two devices of a reader have one name.
    private static let digits = 24
}
