import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP ask the program to end in order; a second SIGINT or SIGTERM ends it at once.
enum Signals {
    private static let count = Atomic<Int>(0)

    private static let verbosity = Atomic<Int>(0)

    /// What SIGUSR1 asks of the log: each one the next of these.
    enum Verbosity: Int, CaseIterable {
        /// The level is that of the settings.
        case asSet, debug, trace
    }

    /// What was asked for last. Any thread.
    static var logVerbosity: Verbosity {
        Verbosity.allCases[verbosity.load(ordering: .relaxed) % Verbosity.allCases.count]
    }

    static func install() {
        signal(SIGUSR1) { _ in Signals.verbosity.add(1, ordering: .relaxed) }
        for signalNumber in [SIGINT, SIGTERM] {
            signal(signalNumber) { number in
                if Signals.count.add(1, ordering: .relaxed).newValue > 1 {
                    TerminalScreen.restore()
                    _exit(128 + number)
                }
            }
        }
        // When a terminal goes, its shell and the kernel both send SIGHUP: the second one is no impatience. A program
        // that shall outlive its terminal is started with SIGHUP ignored (nohup).
        if !isIgnored(SIGHUP) {
            signal(SIGHUP) { _ in
                _ = Signals.count.compareExchange(expected: 0, desired: 1, ordering: .relaxed)
            }
        }
        // A reader that goes away is an error of the write, not of the program.
        signal(SIGPIPE, SIG_IGN)
    }

    /// True if a signal asked the program to end. Any thread.
    static var isStopRequested: Bool { count.load(ordering: .relaxed) > 0 }

    private static func isIgnored(_ number: Int32) -> Bool {
        // There is no asking without setting, but for `sigaction`, whose union Swift reaches by this name.
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
