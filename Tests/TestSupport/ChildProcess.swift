import Foundation
import Glibc

/// What to start, in the terms of posix_spawn(3).
///
/// Not `Foundation.Process`: on Linux that takes a program for running until its last descendant is gone, and here a
/// script leaves a broker behind.
struct ChildProcess: Sendable {
    var path: String
    var arguments: [String]
    /// Added to this process's own.
    var environment: [String: String] = [:]
    var input = "/dev/null"
    var output = "/dev/null"
    var errorOutput = "/dev/null"

    /// Swift does not import glibc's function, and a list of what is open misses what other threads open meanwhile.
    private static func closeOthers(_ files: inout posix_spawn_file_actions_t) throws {
        typealias CloseFrom = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw TestBrokerError("this C library has no posix_spawn_file_actions_addclosefrom_np (glibc 2.34)")
        }
        _ = withUnsafeMutablePointer(to: &files) { unsafeBitCast(symbol, to: CloseFrom.self)($0, 3) }
    }

    /// Starts it, with the three files and no other open, and with no signal blocked or ignored.
    func start() throws -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_addopen(&files, 2, errorOutput, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        // A broker that kept, say, a lock's descriptor open would hold the lock for as long as it runs.
        try Self.closeOthers(&files)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var child: pid_t = 0
        let code = withCStrings([path] + arguments) { arguments in
            withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                posix_spawn(&child, path, &files, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw TestBrokerError("cannot start \(path): \(String(cString: strerror(code)))") }
        return child
    }
}

/// Calls `body` with `strings` as C wants an argument vector: ended by a null pointer.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    return body(&pointers)
}
