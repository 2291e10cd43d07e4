import Foundation

/// The signals at which the second screen has to be left, and the one after which it is drawn anew. Owned by one
/// thread.
final class ScreenSignals {
    /// The handlers that were installed before, to be restored.
    private var before: [(number: Int32, action: sigaction)] = []
    /// The signals of faults in the program itself, which cannot wait.
    static let faults = [SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE]

    func install() {
        atexit { ScreenState.leave() }
        for number in Self.faults + [SIGQUIT] {
            // SA_RESETHAND: the second time it is the system's again, which ends the program.
            handle(number, ScreenSignals.action(flags: UInt32(SA_RESETHAND)) { ScreenSignals.leaveAndRaise($0) })
        }
        // A parent that ignores SIGTSTP wants no stops.
        guard handle(SIGTSTP, Self.stopAction) else { return handleContinue { _ in ScreenState.goOn() } }
        handleContinue { _ in
            var action = ScreenSignals.stopAction
            sigaction(SIGTSTP, &action, nil)
            ScreenState.goOn()
        }
    }

    /// Restores the handlers that were installed before `install`.
    func remove() {
        for (number, action) in before.reversed() {
            var action = action
            sigaction(number, &action, nil)
        }
        before = []
    }

    private func handleContinue(_ handler: @convention(c) @escaping (Int32) -> Void) {
        handle(SIGCONT, Self.action(handler))
    }

    /// - Returns: false if the signal is ignored; it stays ignored.
    @discardableResult
    private func handle(_ number: Int32, _ action: sigaction) -> Bool {
        var old = sigaction()
        var new = action
        sigaction(number, nil, &old)
        let ignoring = unsafeBitCast(SIG_IGN, to: Int.self)
        if number != SIGCONT, unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == ignoring {
            return false
        }
        sigaction(number, &new, nil)
        before.append((number, old))
        return true
    }

    /// The action of SIGTSTP. With SA_RESETHAND, the signal that it raises itself stops the program.
    private static var stopAction: sigaction {
        action(flags: UInt32(SA_RESETHAND)) { ScreenSignals.leaveAndRaise($0) }
    }

    private static func leaveAndRaise(_ number: Int32) {
        ScreenState.leave()
        raise(number)
    }

    private static func action(
        flags: UInt32 = 0, _ handler: @convention(c) @escaping (Int32) -> Void
    ) -> sigaction {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = Int32(bitPattern: flags) | SA_RESTART
        return action
    }
}
