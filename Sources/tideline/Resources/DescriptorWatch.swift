import Foundation
import Observability
import Synchronization

/// Looks at the descriptors that are open, and says when there are hardly any left. Any thread asks; one looks.
///
/// Without one no connection to a broker, no file and no client is opened any more; what is open goes on.
final class DescriptorWatch: Sendable {
    private let logger: Logger
    private let usage: @Sendable () -> (open: Int, limit: Int)?
    private let state = Mutex(State())

    private struct State {
        var pressure = Pressure()
        var usage: (open: Int, limit: Int)?
    }

    private static let threshold = 0.95

    init(
        _ logger: Logger, usage: @escaping @Sendable () -> (open: Int, limit: Int)? = { ProcessUsage.openFiles }
    ) {
        self.logger = logger
        self.usage = usage
    }

    /// To be called about once a second.
    func look(now: Duration) {
        guard let usage = usage() else { return }
        let change = state.withLock { state in
            state.usage = usage
            return state.pressure.see(usage.open, of: usage.limit, threshold: Self.threshold, now: now)
        }
        switch change {
        case .began:
            logger.error(
                "\(Self.text(usage)): no connection or file can be opened beyond that. Raise the limit",
                metadata: ["openFiles": .number(usage.open), "limit": .number(usage.limit)])
        case .ended(let time):
            logger.notice(
                "descriptors are free again: \(Self.text(usage))", metadata: ["lastedMs": .milliseconds(time)])
        case nil: break
        }
    }

    var problems: [HealthProblem] {
        let usage = state.withLock { $0.pressure.since == nil ? nil : $0.usage }
        return usage.map { [HealthProblem("descriptors", Self.text($0) + ": raise the limit")] } ?? []
    }

    private static func text(_ usage: (open: Int, limit: Int)) -> String {
        "\(usage.open) of \(usage.limit) descriptors are open (ulimit -n)"
    }

    // MARK: - At the start

    /// Raises the limit as far as the system allows it to this process.
    ///
    /// - Throws: with status 70 if that is less than the program needs for its work.
    static func raise(to needed: Int) throws(CommandFailure) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, rlim_t(most))
        if limit.rlim_cur < wanted {
            let old = limit.rlim_cur
            limit.rlim_cur = wanted
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = old }
        }
        guard limit.rlim_cur < rlim_t(needed) else { return }
        throw CommandFailure(
            .software,
            "\(limit.rlim_cur) descriptors may be open (ulimit -n), and \(needed) are needed at least: raise the limit,"
                + " such as by ulimit -n 1024, LimitNOFILE= of systemd or --ulimit nofile= of Docker")
    }

    /// More than any process here has.
    private static let most = 1 << 20
}
