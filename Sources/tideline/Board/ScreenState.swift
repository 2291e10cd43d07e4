import Foundation
import Synchronization

/// The one state of the terminal's second screen: entered or not. Signal handlers change it, too.
///
/// A handler may run on any thread, also while another one draws. So one that leaves the screen first keeps frames from
/// beginning, then waits for the frame that is being written: nothing is drawn on the first screen.
enum ScreenState {
    private static let isEntered = Atomic<Bool>(false)
    private static let isWriting = Atomic<Bool>(false)
    /// True from when the screen is left until the program goes on: no frame begins meanwhile.
    private static let isHeld = Atomic<Bool>(false)
    private static let wasContinued = Atomic<Bool>(false)
    /// The terminal's modes when the screen was entered, in memory that a signal handler may read.
    nonisolated(unsafe) private static let modes = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private static let hasModes = Atomic<Bool>(false)

    // The second screen, no cursor, no line that wraps; the same in reverse (xterm's private modes 1049, 25, 7).
    private static let entering = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
    private static let leaving: StaticString = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
    /// The milliseconds for which `leave` waits for a frame: more than a terminal takes for one, and few enough if the
    /// writer itself has failed.
    private static let patience = 200

    /// Allows frames to be drawn. Call it once before signal handlers are installed, for they must not be the first to
    /// use a static value.
    static func open() {
        _ = (isEntered.load(ordering: .relaxed), isWriting.load(ordering: .relaxed), leaving.utf8CodeUnitCount)
        _ = (wasContinued.load(ordering: .relaxed), modes, hasModes.load(ordering: .relaxed), patience)
        isHeld.store(false, ordering: .sequentiallyConsistent)
    }

    /// Runs `write`, unless the screen is being left, with the text that enters the screen; the text is empty if the
    /// screen is entered already.
    ///
    /// Only the signals of faults interrupt it on this thread.
    static func whileWriting(_ write: (_ entering: String) -> Void) {
        var blocked = sigset_t()
        var before = sigset_t()
        sigfillset(&blocked)
        for number in ScreenSignals.faults { sigdelset(&blocked, number) }
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        isWriting.store(true, ordering: .sequentiallyConsistent)
        defer { isWriting.store(false, ordering: .sequentiallyConsistent) }
        guard !isHeld.load(ordering: .sequentiallyConsistent) else { return }
        let isNew = !isEntered.exchange(true, ordering: .sequentiallyConsistent)
        // Another program, the shell, may have had the terminal meanwhile.
        let isBack = wasContinued.exchange(false, ordering: .sequentiallyConsistent)
        if isNew || isBack { silenceKeys(keeping: isNew) }
        write(isNew || isBack ? entering : "")
    }

    /// Leaves the screen if it was entered. No frame begins until `open` or `goOn`. Async-signal-safe.
    static func leave() {
        isHeld.store(true, ordering: .sequentiallyConsistent)
        var waited = 0
        while isWriting.load(ordering: .sequentiallyConsistent), waited < patience {
            poll(nil, 0, 1)
            waited += 1
        }
        guard isEntered.exchange(false, ordering: .sequentiallyConsistent) else { return }
        _ = Foundation.write(STDERR_FILENO, leaving.utf8Start, leaving.utf8CodeUnitCount)
        // Whoever sets a terminal that another job has is stopped for it; its shell has set it already.
        guard hasModes.load(ordering: .sequentiallyConsistent), tcgetpgrp(STDERR_FILENO) == getpgrp() else { return }
        tcflush(STDERR_FILENO, TCIFLUSH)
        tcsetattr(STDERR_FILENO, TCSANOW, modes)
    }

    /// Makes the next frame draw everything anew, as the program goes on after a stop. Async-signal-safe.
    static func goOn() {
        wasContinued.store(true, ordering: .sequentiallyConsistent)
        isHeld.store(false, ordering: .sequentiallyConsistent)
    }

    /// Keeps typed text from being shown and from being gathered into lines. The keys that make signals still do.
    ///
    /// - Parameter keeping: true if the terminal has the modes that it is to be left with.
    private static func silenceKeys(keeping: Bool) {
        if keeping {
            hasModes.store(tcgetattr(STDERR_FILENO, modes) == 0, ordering: .sequentiallyConsistent)
        }
        guard hasModes.load(ordering: .sequentiallyConsistent) else { return }
        var silent = modes.pointee
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(STDERR_FILENO, TCSANOW, &silent)
    }
}
