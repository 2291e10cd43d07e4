import Foundation

/// The consent of whoever runs a verb that changes or removes something.
enum Consent {
    /// Asks on the terminal, and waits for the answer.
    ///
    /// - Parameter isGiven: true if `--yes` was written; then nobody is asked.
    /// - Throws: with status 64 if nobody can be asked, and with 70 if the answer is another than yes. Nothing has been
    ///   changed by then.
    static func require(for question: String, isGiven: Bool) throws(CommandFailure) {
        if isGiven { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw CommandFailure(.usage, "nothing was changed: without a terminal to ask on, this needs '--yes'")
        }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        let answer = readLine()?.lowercased()
        guard answer == "y" || answer == "yes", !Signals.isStopRequested else {
            throw CommandFailure(.software, "nothing was changed")
        }
    }
}
