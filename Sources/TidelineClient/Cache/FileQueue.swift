internal import Dispatch

/// A thread for files: reading, writing and waiting for the disk block, and the few threads that run tasks must not.
///
/// Calls are served in their order.
final class FileQueue: Sendable {
    private let queue: DispatchQueue

    init(_ name: String) {
        queue = DispatchQueue(label: "tideline.\(name)", qos: .utility)
    }

    /// Does some work on the thread, and gives its result.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(TidelineError) -> Value
    ) async throws(TidelineError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, TidelineError>, Never>) in
            queue.async {
                do throws(TidelineError) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
