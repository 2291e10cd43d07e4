/// The path of a route, such as `/v1/timelines/{configurationId}`: literal segments, and parameters that take a whole
/// segment each, which is not empty.
package struct RoutePattern: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    let segments: [Segment]

    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)

        var isLiteral: Bool {
            if case .literal = self { true } else { false }
        }
    }

    /// - Precondition: the text begins with `/`, and the name of each parameter is there once.
    package init(_ text: String) {
        precondition(text.utf8.first == UInt8(ascii: "/"), "A path begins with a slash.")
        description = text
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}")
                ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
        precondition(Set(parameters).count == parameters.count, "A path names a parameter once.")
    }

    /// The names of its parameters, in their order.
    package var parameters: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// True if the segments of a request are a path of this form.
    func matches(_ path: [String]) -> Bool {
        guard path.count == segments.count else { return false }
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): if literal != text { return false }
            case .parameter: if text.isEmpty { return false }
            }
        }
        return true
    }

    /// The value of a parameter in the segments of a request that matches.
    func value(of name: String, in path: [String]) -> String? {
        segments.firstIndex(of: .parameter(name)).map { path[$0] }
    }
}

extension RoutePattern: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}
