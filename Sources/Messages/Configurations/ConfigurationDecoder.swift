internal import CSimdjson
package import Timelines

/// Reads many configurations, of which most differ in nothing but whom they name.
///
/// A configuration whose other members say the same as those of one that was read before, in the same order, shares
/// what was read of them, as far as that is kept: of 256 of these at a time, each with 2 KiB at the most. Texts are the
/// same if their bytes are, numbers if they are written alike. Use one for each thread and set of kinds, and keep it.
package struct ConfigurationDecoder: ~Copyable {
    private let kinds: WidgetKinds
    private var parser = JSONParser()
    /// Usable configurations without the names in them, by all of their members that name nobody.
    private var known: [Rest: WidgetConfiguration] = [:]
    private var rest = Rest()

    private static let knownMax = 256
    private static let restMax = 2048

    /// What stands for the members that name nobody.
    private struct Rest: Hashable {
        var bytes: [UInt8] = []

        /// All at once: an array would be hashed byte by byte.
        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    package init(kinds: WidgetKinds = WidgetKinds()) {
        self.kinds = kinds
    }

    /// Reads a configuration, as `ConfigurationMessage.decode` does.
    ///
    /// - Throws: if it is not a JSON object with a `configurationId`, so that no timeline could show the error.
    package mutating func decode(_ bytes: UnsafeRawBufferPointer) throws(MessageProblem) -> ConfigurationMessage {
        let nodes = JSONNodes(try parser.document(ConfluentFraming.skipped(bytes)))
        let own = nodes.ownMembers(rest: &rest.bytes).map { MessageFields($0) }
        // Where no strategy is named, it follows from them.
        if let own { rest.bytes.append(contentsOf: own.impliedStrategy.utf8) }
        let mayShare = own != nil && rest.bytes.count <= Self.restMax
        // Where something of its own is wrong, all of its problems are told.
        if mayShare, let own, let shared = known[rest], let configuration = try? shared.with(own) {
            return .usable(configuration)
        }
        var all = nodes
        guard case .object(let members) = all.next() else { throw MessageProblem(.not_an_object) }
        let message = try ConfigurationMessage(MessageFields(members), kinds: kinds)
        if mayShare, case .usable(let configuration) = message { remember(configuration.withoutNames) }
        return message
    }

    private mutating func remember(_ configuration: WidgetConfiguration) {
        if known.count >= Self.knownMax { known.removeAll() }
        // A copy of its own: the array that is read into has had room for larger ones.
        known[Rest(bytes: rest.bytes.withUnsafeBytes { Array($0) })] = configuration
    }
}

extension JSONNodes {
    /// Reads the members that name somebody, `WidgetConfiguration.ownFields`.
    ///
    /// - Parameter rest: becomes what stands for all others that a configuration is read of, in their order.
    /// - Returns: `nil` if the document is not an object.
    fileprivate func ownMembers(rest: inout [UInt8]) -> Parameters? {
        rest.removeAll(keepingCapacity: rest.capacity <= 1 << 16)
        var nodes = self
        guard let count = nodes.beginObject() else { return nil }
        var found: [Parameters.Member] = []
        found.reserveCapacity(WidgetConfiguration.ownFields.count)
        for _ in 0..<count {
            if WidgetConfiguration.ownFields.contains(where: nodes.isAtText) {
                found.append(nodes.nextMember())
                continue
            }
            let isOfOthers = nodes.isAtText(PushRegistration.fieldName)
            let end = rest.count
            nodes.appendNext(to: &rest)
            nodes.appendNext(to: &rest)
            if isOfOthers { rest.removeLast(rest.count - end) }
        }
        return Parameters(found)
    }
}
