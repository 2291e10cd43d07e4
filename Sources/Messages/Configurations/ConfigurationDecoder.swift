internal import CSimdjson
package import Timelines

/// Reads many configurations, of which most differ in nothing but whom they name.
///
/// A configuration whose other members have the bytes of one that was read before, in the same order, shares what was
/// read of that. Use one for each thread and set of kinds, and keep it.
package struct ConfigurationDecoder: ~Copyable {
    private let kinds: WidgetKinds
    private var parser = JSONParser()
    /// Usable configurations, by all of their members that name nobody.
    private var known: [Rest: WidgetConfiguration] = [:]
    private var rest = Rest()

    /// So many are kept, of so many bytes at the most.
    private static let knownMax = 256
    private static let restMax = 2048

    /// What stands for the bytes of the members that name nobody.
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
        let own = nodes.members(of: WidgetConfiguration.ownFields, rest: &rest.bytes).map { MessageFields($0) }
        // Where no strategy is named, it follows from them.
        if let own { rest.bytes.append(contentsOf: own.impliedStrategy.utf8) }
        if let own, let shared = known[rest], let configuration = shared.with(own) { return .usable(configuration) }
        var all = nodes
        guard case .object(let members) = all.next() else { throw .noObject }
        let message = try ConfigurationMessage(MessageFields(members), kinds: kinds)
        if case .usable(let configuration) = message, own != nil { remember(configuration) }
        return message
    }

    private mutating func remember(_ configuration: WidgetConfiguration) {
        guard rest.bytes.count <= Self.restMax else { return }
        if known.count >= Self.knownMax { known.removeAll() }
        known[rest] = configuration
    }
}

extension JSONNodes {
    /// Splits the members of an object.
    ///
    /// - Parameters:
    ///   - names: the members that are read.
    ///   - rest: becomes what stands for the bytes of all others, in their order.
    /// - Returns: `nil` if the document is not an object.
    fileprivate func members(of names: [StaticString], rest: inout [UInt8]) -> Parameters? {
        rest.removeAll(keepingCapacity: true)
        var nodes = self
        guard let count = nodes.beginObject() else { return nil }
        var found: [Parameters.Member] = []
        found.reserveCapacity(names.count)
        for _ in 0..<count {
            if names.contains(where: nodes.isAtText) {
                found.append(nodes.nextMember())
            } else {
                nodes.appendNext(to: &rest)
                nodes.appendNext(to: &rest)
            }
        }
        return Parameters(found)
    }
}
