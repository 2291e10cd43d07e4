import Foundation

/// The consent of whoever runs a verb that changes or removes something.
enum Consent {
    /// Asks on the terminal, and waits for the answer.
    ///
    /// - Parameter isGiven: true if `--yes` was written; then nobody is asked.
    /// - Throws: with status 64 if nobody can be asked, with 70 if the answer is another than yes, and with 130 after
    ///   Ctrl-C. Nothing has been changed by then.
    static func require(for question: String, isGiven: Bool) throws(CommandFailure) {
        if isGiven { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw CommandFailure(.usage, "nothing was changed: without a terminal to ask on, this needs '--yes'")
        }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        guard isAnswered else {
            // The next line is not to begin behind the question.
            FileHandle.standardError.write(Data("\n".utf8))
            throw CommandFailure(.interrupted, "nothing was changed")
        }
        // A wait that a signal has cut short leaves EINTR, for which reading would be tried again at every end of file.
        errno = 0
        let answer = readLine()?.lowercased()
        guard answer == "y" || answer == "yes", !Signals.isStopRequested else {
            throw CommandFailure(.software, "nothing was changed")
        }
    }

    /// Waits for a line; reading alone would go on after a signal.
    ///
    /// - Returns: false if a signal asks the program to end first, or nobody is there any more.
    private static var isAnswered: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while !Signals.isStopRequested {
            // A terminal that has gone gives no answer.
            if poll(&input, 1, 100) > 0 { return input.revents & Int16(POLLHUP) == 0 }
        }
        return false
    }
}
