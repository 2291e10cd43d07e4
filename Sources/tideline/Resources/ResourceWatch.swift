import Dispatch
import Glibc
import Observability
import Settings

/// Looks once a second at what the system gives the process: memory and descriptors.
///
/// It has a queue of its own, so that it goes on while all else waits.
final class ResourceWatch: Sendable {
    let memory: MemoryWatch
    let descriptors: DescriptorWatch
    private let settings: Settings
    private static let interval = 1.0

    init(_ settings: Settings, threshold: LiveSetting<Double>, _ logger: Logger) {
        self.settings = settings
        memory = MemoryWatch(limit: settings.memoryLimit, threshold: threshold, logger)
        descriptors = DescriptorWatch(logger)
    }

    /// From now on it looks, for as long as the process lives.
    ///
    /// - Parameter needed: the descriptors that the program cannot do without.
    /// - Throws: with status 70 if the system gives fewer.
    func start(descriptors needed: Int) throws(CommandFailure) {
        try DescriptorWatch.raise(to: needed)
        // A file that may not grow (ulimit -f) is a failure of its write, not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
        memory.announce(settings)
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "resources"))
        source.schedule(deadline: .now(), repeating: Self.interval)
        source.setEventHandler { [self] in look(now: WallClock.uptime()) }
        source.activate()
        // It lives as long as the process.
        _ = Unmanaged.passRetained(source as AnyObject)
    }

    func look(now: Duration) {
        memory.look(now: now)
        descriptors.look(now: now)
    }

    /// What keeps the process from its work.
    func problems(_ check: HealthCheck) -> [HealthProblem] { check == .ready ? descriptors.problems : [] }
}
