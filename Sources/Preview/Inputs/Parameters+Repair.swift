internal import Timelines

extension Parameters {
    /// Without what is wrong at a path such as `strategy.every` or `calendarIds[2]`: without that member, or where it
    /// is not there, without the innermost object or list on the way to it. A member of the object itself that is
    /// missing is given some text. Nil where none of that can be done.
    func repaired(_ path: String) -> Parameters? {
        let names = path.split { $0 == "." || $0 == "[" }.map { String($0) }
        if let repaired = without(names[...]) { return repaired }
        guard names.count == 1 else { return nil }
        var result = self
        result[path] = .string("-")
        return result
    }

    private func without(_ path: ArraySlice<String>) -> Parameters? {
        guard let key = path.first, let value = self[key] else { return nil }
        var result = self
        result[key] = nil
        if case .object(let inner) = value, let repaired = inner.without(path.dropFirst()) {
            result[key] = .object(repaired)
        }
        return result
    }
}
