import Foundation

/// The question before something is changed: asked on a terminal, answered by `--yes` elsewhere.
enum Confirmation {
    /// Returns once the change is agreed to.
    ///
    /// - Parameter change: what is about to be done, as a sentence without its end: "Replay 3 dead letters".
    /// - Throws: with status 64 if nobody can be asked, or the answer is not yes. Nothing was changed then.
    static func ask(_ change: String, isGiven: Bool) throws(CommandFailure) {
        if isGiven { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw CommandFailure(.usage, "\(change): nothing was changed; without a terminal to ask on, say '--yes'")
        }
        writeError("\(change)? Type yes to go on:")
        guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else {
            throw CommandFailure(.usage, "\(change): nothing was changed, as the answer was not yes")
        }
    }
}
