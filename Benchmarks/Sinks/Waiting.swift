import Foundation

/// Waits for work that is asynchronous, in a program that has nothing else to do.
func waiting<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    let answer = Answer<Value>()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            answer.result = .success(try await work())
        } catch {
            answer.result = .failure(error)
        }
        isDone.signal()
    }
    isDone.wait()
    guard let result = answer.result else { preconditionFailure("The work has ended.") }
    return try result.get()
}

/// Written before the semaphore is signalled, read afterwards.
private final class Answer<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}
