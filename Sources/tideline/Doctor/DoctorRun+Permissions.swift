import Diagnosis
import RecordLog
import StreamRuntime

extension DoctorRun {
    /// Tries each permission that a verb needs on the topics that there are.
    ///
    /// - Parameter found: what was found, by the topic's name.
    /// - Throws: with status 70 if it is told to end.
    func lookAtPermissions(_ found: [String: TopicFacts.Found], _ admin: any Admin) throws(CommandFailure) {
        var facts: [PermissionFacts] = []
        var refusesNothing = false
        for need in needs(found, admin).all {
            try goOn()
            let permission = need.permission
            do throws(LogError) {
                // A broker that takes what it has to refuse would get more records of nobody.
                if permission.writesToTopic && refusesNothing { throw .untried }
                try admin.check(permission, timeout: Self.patience)
                facts.append(PermissionFacts(permission, .allowed, neededBy: need.verbs))
            } catch {
                // The one that was asked for includes the one that the broker missed first.
                let isRefused = error.code == .notAuthorised
                facts.append(
                    PermissionFacts(permission, isRefused ? .refused : .unknown(error.message), neededBy: need.verbs))
                if permission.writesToTopic && error.code == .unsupported { refusesNothing = true }
            }
        }
        report.add(facts.findings(isDetailed: report.isForMachines, bootstrap: bootstrap, command: command))
    }

    private func needs(_ found: [String: TopicFacts.Found], _ admin: any Admin) -> NeededPermissions {
        // Of a topic that may not be looked at nothing is known yet.
        var absent = Set(NamedTopic.allCases.filter { found[environment.name(of: $0)] == .nothing })
        let reset = try? admin.describeTopics([own.reset], timeout: Self.patience)
        if reset?[own.reset] == nil { absent.insert(.reset) }
        // No cluster has it before its first transaction.
        let states = environment.name(of: .transactionState)
        if let answer = try? admin.describeTopics([states], timeout: Self.patience), answer[states] == nil {
            absent.insert(.transactionState)
        }
        return environment.neededPermissions { absent.contains($0) }
    }
}

extension Permission {
    fileprivate var writesToTopic: Bool {
        if case .topic = resource { operation == .write } else { false }
    }
}

extension LogError {
    fileprivate static var untried: LogError {
        LogError(.unsupported, name: "UNSUPPORTED", "the broker takes records that it should refuse (acks=2)")
    }
}
