import StreamCore

/// A message to the task of a configuration.
enum ConfigurationInput: StateValue {
    /// News of a source.
    case update(SourceUpdate)
    /// The recipient was told.
    case announced(ReloadAnnouncement)
    /// Somebody asks for reloads of all configurations of a kind that this task has.
    case requested(ReloadRequest)

    private static let updateKind: UInt8 = 0
    private static let announcedKind: UInt8 = 1
    private static let requestedKind: UInt8 = 2

    func encode(into writer: inout ByteWriter) {
        switch self {
        case .update(let update):
            writer.write(Self.updateKind)
            update.encode(into: &writer)
        case .announced(let announcement):
            writer.write(Self.announcedKind)
            announcement.encode(into: &writer)
        case .requested(let request):
            writer.write(Self.requestedKind)
            request.encode(into: &writer)
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        switch try reader.byte() {
        case Self.updateKind: self = .update(try SourceUpdate(from: &reader))
        case Self.announcedKind: self = .announced(try ReloadAnnouncement(from: &reader))
        case Self.requestedKind: self = .requested(try ReloadRequest(from: &reader))
        case let kind: throw CorruptBytes("unknown message to a configuration \(kind)")
        }
    }
}
