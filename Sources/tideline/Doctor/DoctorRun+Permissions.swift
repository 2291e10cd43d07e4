import Diagnosis
import Messages
import RecordLog
import StreamRuntime

extension DoctorRun {
    /// Tries each permission that `process` needs.
    ///
    /// - Parameter found: the topics that exist.
    /// - Throws: with status 70 if it is told to end.
    func lookAtPermissions(_ found: [String: TopicDescription], _ admin: any Admin) throws(CommandFailure) {
        var facts: [PermissionFacts] = []
        for permission in needed(found) {
            try goOn()
            do throws(LogError) {
                try admin.check(permission, timeout: Self.patience)
                facts.append(PermissionFacts(permission, .allowed))
            } catch {
                // The one that was asked for includes the one that the broker missed first.
                let isRefused = error.code == .notAuthorised
                facts.append(PermissionFacts(permission, isRefused ? .refused : .unknown(error.message)))
            }
        }
        report.add(facts.findings(bootstrap: bootstrap))
    }

    private func needed(_ found: [String: TopicDescription]) -> [Permission] {
        let topics = environment.topics
        var needed: [Permission] = []
        func need(_ operations: Permission.Operation..., on names: [String]) {
            for name in names { needed += operations.map { Permission($0, .topic(name)) } }
        }
        need(.read, .describeConfigs, on: topics.inputs)
        need(.write, .describeConfigs, on: topics.outputs)
        // Who else writes there is looked at before anything is written.
        need(.read, on: [topics.timelines])
        for (name, operations) in [
            (own.exchange, [Permission.Operation.read, .write, .delete, .describeConfigs]),
            (own.state, [.read, .write, .describeConfigs]),
        ] {
            let operations = found[name] == nil ? [.create] : operations
            needed += operations.map { Permission($0, .topic(name)) }
        }
        needed.append(Permission(.read, .group(group)))
        needed.append(Permission(.write, .transactionalIds(prefix: application + "-")))
        return needed
    }
}
