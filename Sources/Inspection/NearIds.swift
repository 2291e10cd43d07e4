internal import Timelines

/// What is said about an id that nothing has.
package enum NearIds {
    private static let most = 5

    /// The known ids that were probably meant: the nearest one by letters first, then those that begin like it or
    /// contain it, in order; five at most.
    package static func of(_ id: String, among known: some Sequence<String>) -> [String] {
        let ids = known.sorted { $0.precedesByUTF8($1) }
        var near: [String] = []
        if let nearest = nearestName(to: id, among: ids) { near.append(nearest) }
        let asked = id.lowercased()
        let begin = String(asked.prefix(max(1, asked.count * 2 / 3)))
        for candidate in ids where near.count < most && !near.contains(where: { $0.isSameByUTF8(as: candidate) }) {
            let other = candidate.lowercased()
            if other.hasPrefix(begin) || (asked.count > 2 && other.contains(asked)) { near.append(candidate) }
        }
        return near
    }

    /// A sentence that ends a message about an unknown id: what is near it, or what there is.
    ///
    /// - Parameter plural: what the ids are of, such as `configurations`.
    package static func sentence(about id: String, among known: some Collection<String>, plural: String) -> String {
        if known.isEmpty { return "there are no \(plural)" }
        let near = of(id, among: known)
        if !near.isEmpty { return "near it \(near.count == 1 ? "is" : "are") \(quoted(near))" }
        let first = known.sorted { $0.precedesByUTF8($1) }.prefix(most)
        let more = known.count > most ? " and \(known.count - most) more" : ""
        return "nothing is near it; \(plural) are \(quoted(first))\(more)"
    }

    /// The message about an unknown id.
    ///
    /// - Parameter singular: what the id is of, such as `configuration`.
    package static func unknown(_ singular: String, _ id: String, among known: some Sequence<String>) -> String {
        let known = Set(known)
        return "there is no \(singular) '\(id)'; \(sentence(about: id, among: known, plural: singular + "s"))"
    }

    private static func quoted(_ ids: some Sequence<String>) -> String {
        ids.map { "'\($0)'" }.joined(separator: ", ")
    }
}
