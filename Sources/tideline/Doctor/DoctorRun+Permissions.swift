import Diagnosis
import RecordLog
import StreamRuntime

extension DoctorRun {
    /// Tries each permission that a verb needs on the topics that there are.
    ///
    /// - Parameter found: what was found, by the topic's name.
    /// - Throws: with status 70 if it is told to end.
    func lookAtPermissions(_ found: [String: TopicFacts.Found], _ admin: any Admin) throws(CommandFailure) {
        let needs = needs(found, admin).all
        let answers = PermissionTrials(needs.map(\.permission)) { permission throws(LogError) in
            try admin.check(permission, timeout: Self.patience)
        }.run()
        try goOn()
        let facts = zip(needs, answers).compactMap { need, answer in
            answer.map { PermissionFacts(need.permission, $0, neededBy: need.verbs) }
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
