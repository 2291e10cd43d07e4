package import RecordLog
import Synchronization

/// What the stream threads of one application use together: the ports that answer questions, with the one OS thread
/// that asks them, the admin, and the restoring consumer. So the number of handles hardly grows with the threads.
///
/// It has as many users as it is made for, each a thread; when the last of them has ended, so has it. Any thread may
/// call it.
package final class SharedPorts: @unchecked Sendable {
    let background: any Background
    let questions: BrokerInquiry.Ports
    package let restorer: SharedRestorer
    private let users: Mutex<Int>

    /// - Parameters:
    ///   - clientId: what the client ids of its handles begin with.
    ///   - background: where questions are asked that may wait for brokers. One that works within the call is for one
    ///     user alone.
    package init(
        _ cluster: any Cluster, settings: StreamSettings, clientId: String, users: Int = 1, background: any Background
    ) throws(LogError) {
        precondition(users > 0, "Somebody uses it.")
        self.background = background
        self.users = Mutex(users)
        restorer = try SharedRestorer(cluster, clientId: "\(clientId)-restore")
        questions = try BrokerInquiry.Ports(cluster: cluster, settings: settings, clientId: clientId)
    }

    /// Also asked by the threads themselves.
    var admin: any Admin { questions.admin }

    /// One of the users has ended. The last one closes all; questions that are under way end by themselves.
    ///
    /// - Parameter reader: the user's own, if it has one.
    package func release(_ reader: ChangelogReader?) {
        let left = users.withLock { users in
            users -= 1
            return users
        }
        precondition(left >= 0, "Each user ends once.")
        if left > 0 {
            reader?.leave()
            return
        }
        restorer.close()
        background.close { [questions] in questions.close() }
    }
}
