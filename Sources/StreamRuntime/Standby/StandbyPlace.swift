/// A member of the group, and the process that it is a thread of.
struct StandbyPlace: Hashable {
    var process: String
    var member: String

    init(clientId: String, instance: String?, instancesHaveThreads: Bool) {
        // The coordinator keeps the client id of a static member's first process (KIP-345).
        let name = instance ?? clientId
        let mark: Character? = instance == nil ? "." : instancesHaveThreads ? "-" : nil
        member = name
        process = mark.map { String(name.withoutThread(after: $0)) } ?? name
    }
}

extension String {
    /// What the ids of all threads of a process have in common: the random name behind the application and the
    /// instance, without the number of the thread.
    var processOfThread: Substring {
        String(self[(lastIndex(of: "-").map(index(after:)) ?? startIndex)...]).withoutThread(after: ".")
    }

    /// The name without the number of a thread: one beside others has it at the end, behind a mark.
    fileprivate func withoutThread(after mark: Character) -> Substring {
        guard let index = lastIndex(of: mark) else { return self[...] }
        let number = self[self.index(after: index)...]
        let isNumber = !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber }
        return isNumber ? self[..<index] : self[...]
    }
}
