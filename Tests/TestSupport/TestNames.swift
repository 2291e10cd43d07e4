package import Foundation
import Glibc
import Synchronization

/// `prefix-PID-N`: a name that no other test uses, in this process or in one beside it on the same broker.
package func uniqueName(_ prefix: String) -> String {
    let number = counter.withLock { count in
        count += 1
        return count
    }
    return "\(prefix)-\(getpid())-\(number)"
}

private let counter = Mutex(0)

/// Folders for tests, all in one that is removed when the test process ends.
package enum TemporaryDirectory {
    /// A new, empty folder whose name begins with `prefix`.
    package static func make(_ prefix: String) -> URL {
        made(root.appending(path: uniqueName(prefix)))
    }

    /// A new folder that stays: for what outlives this process for a moment.
    package static func makeLasting(_ prefix: String) -> URL {
        made(FileManager.default.temporaryDirectory.appending(path: uniqueName("tideline-\(prefix)")))
    }

    private static let root: URL = {
        atexit { try? FileManager.default.removeItem(at: TemporaryDirectory.root) }
        return made(FileManager.default.temporaryDirectory.appending(path: uniqueName("tideline-tests")))
    }()

    private static func made(_ folder: URL) -> URL {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("cannot make \(folder.path): \(error)")
        }
        return folder
    }
}

/// Asks `condition` again and again until it holds, for `timeout` at most: for what happens outside this process.
///
/// - Returns: whether it held.
package func eventually(
    within timeout: Duration = .seconds(120), every interval: Duration = .milliseconds(50),
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + timeout
    while ContinuousClock.now < deadline {
        if try await condition() { return true }
        try? await Task.sleep(for: interval)
    }
    return try await condition()
}
