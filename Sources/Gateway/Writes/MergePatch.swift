import Timelines

extension ParameterValue {
    /// The value after a JSON merge patch (RFC 7396 section 2): members that are null in the patch are removed, those
    /// that are objects are patched, all others replace what is there.
    func patched(with patch: ParameterValue) -> ParameterValue {
        guard case .object(let changes) = patch else { return patch }
        var members = Parameters()
        if case .object(let own) = self { members = own }
        for change in changes.members {
            members[change.key] =
                change.value == .null ? nil : (members[change.key] ?? .null).patched(with: change.value)
        }
        return .object(members)
    }
}
