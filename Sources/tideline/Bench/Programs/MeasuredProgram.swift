import Foundation
import Observability

/// A program that runs beside `bench` and is measured: what it wrote, what it used, how it ended.
///
/// Owned by one thread. The program's peak memory counts from what `bench` itself had when it started it (that is how
/// Linux reckons), so `bench` keeps small and has large work done by processes of its own.
final class MeasuredProgram {
    /// The program in messages.
    let title: String
    private let process: pid_t
    private let began = WallClock.uptime()
    private let outputFile: URL
    private let errorFile: URL?
    private var ending: Ending?

    struct Ending {
        /// As wait(2) gives it.
        var status: Int32
        var usage: ProcessUsage
        var wallSeconds: Double

        var isGood: Bool { status == 0 }
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: the path of the program, and its arguments.
    ///   - folder: where its output goes, into files of new names.
    ///   - sharesErrors: true if its standard error is this program's, and Ctrl-C is for it, too.
    init(_ words: [String], title: String, folder: URL, sharesErrors: Bool = false) throws(CommandFailure) {
        self.title = title
        let name = UUID().uuidString
        outputFile = folder.appending(path: name + ".out")
        errorFile = sharesErrors ? nil : folder.appending(path: name + ".err")
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&files, 1, outputFile.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if let errorFile {
            posix_spawn_file_actions_addopen(&files, 2, errorFile.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program ignores it, and what it starts would do so as well.
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &pipe)
        let group = sharesErrors ? 0 : Int32(POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, Int16(Int32(POSIX_SPAWN_SETSIGDEF) | group))
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var started: pid_t = 0
        let code = posix_spawn(&started, words[0], &files, &attributes, &arguments, environ)
        guard code == 0 else {
            throw CommandFailure(.software, "cannot start \(words[0]): \(String(cString: strerror(code)))")
        }
        process = started
    }

    deinit {
        if ending == nil {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
    }

    // MARK: - While it runs

    var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }
    var errors: String { errorFile.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? "" }

    /// CPU time so far, of the program and of those that it waited for; `nil` once it has ended.
    var cpuSeconds: Double? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        // After the name: state is the first, utime, stime, cutime and cstime are the 12th to 15th.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 14 else { return nil }
        return fields[11...14].compactMap { Double($0) }.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// True if the program still runs.
    func isRunning() -> Bool {
        reap(WNOHANG)
        return ending == nil
    }

    // MARK: - Its end

    /// Waits for the program's end; a signal to `bench` is passed on.
    func wait() -> Ending {
        while isRunning() {
            if Signals.isStopRequested { return end() }
            usleep(5_000)
        }
        return end()
    }

    /// Asks the program to end, waits for ten seconds, then ends it by force.
    func end() -> Ending {
        let deadline = WallClock.uptime() + .seconds(10)
        // A shell may have left the program to a process of its own, in the same group.
        let target = errorFile == nil ? process : -process
        if isRunning() { kill(target, SIGTERM) }
        while isRunning() {
            if WallClock.uptime() > deadline { kill(target, SIGKILL) }
            usleep(5_000)
        }
        return ending ?? Ending(status: -1, usage: ProcessUsage(cpuSeconds: 0, peakMemory: 0), wallSeconds: 0)
    }

    private func reap(_ options: Int32) {
        guard ending == nil else { return }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, options, &usage) == process else { return }
        let elapsed = WallClock.uptime() - began
        ending = Ending(
            status: status, usage: ProcessUsage(usage), wallSeconds: Double(elapsed.milliseconds) / 1000)
    }

    /// The failure of a program that did not end well, with the last lines that it wrote.
    var failure: CommandFailure {
        let status = ending?.status ?? 0
        let how = status & 0x7f == 0 ? "status \((status >> 8) & 0xff)" : "signal \(status & 0x7f)"
        let last = (errors + output).split(separator: "\n").suffix(5).joined(separator: "\n  ")
        return CommandFailure(.software, "\(title) ended with \(how)\(last.isEmpty ? "" : ":\n  \(last)")")
    }
}
