import StreamCore
import Timelines

/// The declared kinds with what follows from each, worked out once: a digest, which tells over a restart whether a
/// configuration was adopted under the same declaration, and the terms of its reloads.
struct DeclaredKinds {
    private let kinds: WidgetKinds
    private let digests: [UInt64]
    private let terms: [ReloadTerms]
    /// The terms of kinds that are not declared.
    private let otherTerms: ReloadTerms

    init(_ settings: PipelineSettings) {
        kinds = settings.kinds
        digests = kinds.all.map(\.digest)
        terms = kinds.all.map { ReloadTerms($0.reload, otherwise: settings.reload) }
        otherTerms = ReloadTerms(otherwise: settings.reload)
    }

    /// True if no kind is declared.
    var isEmpty: Bool { digests.isEmpty }

    /// 0 if the kind is not declared.
    func digest(of kind: String) -> UInt64 { kinds.index(of: kind).map { digests[$0] } ?? 0 }

    func terms(of kind: String) -> ReloadTerms { kinds.index(of: kind).map { terms[$0] } ?? otherTerms }
}

extension WidgetKind {
    /// Over all that a configuration's subscriptions and timeline follow from: neither its description nor how often
    /// it may be reloaded. Never 0.
    fileprivate var digest: UInt64 {
        var writer = ByteWriter(capacity: 256)
        writer.write(title)
        writer.write(optional: supportedFamilies) { writer, families in
            writer.write(list: families) { $0.write($1.rawValue) }
        }
        writer.write(optional: strategy) { $0.write($1) }
        writer.write(list: parameters) { writer, parameter in
            writer.write(parameter.key)
            writer.write(parameter.title)
            writer.write(parameter.type.rawValue)
            // Strings are what an array holds where nothing is said: such kinds keep the digest that they had.
            if parameter.items != .string { writer.write(parameter.items.rawValue) }
            writer.write(optional: parameter.defaultValue) { $0.write($1) }
        }
        return max(1, writer.digest)
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ value: ParameterValue) {
        switch value {
        case .null: write(UInt8(0))
        case .bool(let bool):
            write(UInt8(1))
            write(bool)
        case .number(let text):
            write(UInt8(2))
            write(text)
        case .string(let text):
            write(UInt8(3))
            write(text)
        case .array(let elements):
            write(UInt8(4))
            write(list: elements) { $0.write($1) }
        case .object(let members):
            write(UInt8(5))
            write(list: members.members) { writer, member in
                writer.write(member.key)
                writer.write(member.value)
            }
        }
    }
}
