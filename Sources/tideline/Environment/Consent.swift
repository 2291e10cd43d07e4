import Foundation

/// The consent of whoever runs a verb that changes or removes something.
enum Consent {
    /// Asks on the terminal, and waits for the answer.
    ///
    /// - Parameters:
    ///   - isGiven: true if `--yes` was written; then nobody is asked.
    ///   - standing: what was done before the question and what stays, for the message if nobody agrees.
    /// - Throws: with status 64 if nobody can be asked, with 70 if the answer is another than yes, and with 130 after
    ///   Ctrl-C.
    static func require(
        for question: String, isGiven: Bool, otherwise standing: String = "nothing was changed"
    ) throws(CommandFailure) {
        if isGiven { return }
        try requireTerminal(isGiven: false, otherwise: standing)
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        guard isAnswered else {
            // The next line is not to begin behind the question.
            FileHandle.standardError.write(Data("\n".utf8))
            throw CommandFailure(.interrupted, standing)
        }
        // A wait that a signal has cut short leaves EINTR, for which reading would be tried again at every end of file.
        errno = 0
        let answer = readLine()?.lowercased()
        guard answer == "y" || answer == "yes", !Signals.isStopRequested else {
            throw CommandFailure(.software, standing)
        }
    }

    /// Makes sure that consent is given, or that somebody can be asked for it. A verb that does nothing else calls it
    /// before it waits for a broker.
    ///
    /// - Parameters:
    ///   - isGiven: true if `--yes` was written.
    ///   - standing: what stays, for the message.
    /// - Throws: with status 64 if nobody can be asked.
    static func requireTerminal(
        isGiven: Bool, otherwise standing: String = "nothing was changed"
    ) throws(CommandFailure) {
        if isGiven || (isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1) { return }
        throw CommandFailure(.usage, "\(standing): without a terminal to ask on, this needs '--yes'")
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
