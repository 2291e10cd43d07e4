import Foundation
import Synchronization

/// SIGINT and SIGTERM ask the program to end in order; a second one ends it at once.
enum Signals {
    private static let count = Atomic<Int>(0)

    static func install() {
        for signalNumber in [SIGINT, SIGTERM] {
            signal(signalNumber) { number in
                if Signals.count.add(1, ordering: .relaxed).newValue > 1 { _exit(128 + number) }
            }
        }
        // A reader that goes away is an error of the write, not of the program.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Any thread.
    static var isStopRequested: Bool { count.load(ordering: .relaxed) > 0 }
}
