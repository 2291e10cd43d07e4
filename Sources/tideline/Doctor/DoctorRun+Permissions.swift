import Diagnosis
import Messages
import RecordLog
import StreamRuntime

extension DoctorRun {
    /// Tries each permission that `process` needs on the topics that there are.
    ///
    /// - Parameter found: what was found, by the topic's name.
    /// - Throws: with status 70 if it is told to end.
    func lookAtPermissions(_ found: [String: TopicFacts.Found], _ admin: any Admin) throws(CommandFailure) {
        var facts: [PermissionFacts] = []
        for (permission, verb) in needed(found).map({ ($0, PermissionFacts.pipeline) }) + neededByOthers {
            try goOn()
            do throws(LogError) {
                try admin.check(permission, timeout: Self.patience)
                facts.append(PermissionFacts(permission, .allowed, neededBy: verb))
            } catch {
                // The one that was asked for includes the one that the broker missed first.
                let isRefused = error.code == .notAuthorised
                facts.append(
                    PermissionFacts(permission, isRefused ? .refused : .unknown(error.message), neededBy: verb))
            }
        }
        report.add(facts.findings(bootstrap: bootstrap))
    }

    /// Their transactional ids do not begin as those of the threads of `process`.
    private var neededByOthers: [(Permission, String)] {
        [(".sink.", "sink --reloads"), (".operations", "dead-letters replay")].map { ending, verb in
            (Permission(.write, .transactionalIds(prefix: application + ending)), verb)
        }
    }

    private func needed(_ found: [String: TopicFacts.Found]) -> [Permission] {
        let topics = environment.topics
        var needed: [Permission] = []
        func need(_ operations: Permission.Operation..., on names: [String]) {
            // Of a topic that may not be looked at nothing is known yet.
            for name in names where found[name] != .nothing {
                needed += operations.map { Permission($0, .topic(name)) }
            }
        }
        need(.read, .describeConfigs, on: topics.inputs)
        need(.write, .describeConfigs, on: topics.outputs)
        // Who else writes there is looked at before anything is written.
        need(.read, on: [topics.timelines])
        need(.read, .write, .delete, .describeConfigs, on: [own.exchange])
        need(.read, .write, .describeConfigs, on: [own.state])
        for name in [own.exchange, own.state] where found[name] == .nothing {
            needed.append(Permission(.create, .topic(name)))
        }
        needed.append(Permission(.read, .group(group)))
        needed.append(Permission(.write, .transactionalIds(prefix: application + "-")))
        needed.append(Permission(.describe, .topic(own.reset)))
        return needed
    }
}
