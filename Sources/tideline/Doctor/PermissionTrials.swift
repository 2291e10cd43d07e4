import Diagnosis
import Foundation
import RecordLog
import Synchronization

/// Tries permissions, several at a time: each trial takes a tenth of a second or more, and waits for a connection of
/// its own nearly all of that.
final class PermissionTrials: Sendable {
    /// So many trials wait side by side.
    private static let lanes = 8

    private let permissions: [Permission]
    /// The numbers of the permissions that go one after the other: a broker that takes what it has to refuse would get
    /// more records of nobody.
    private let writing: [Int]
    private let others: [Int]
    private let check: @Sendable (Permission) throws(LogError) -> Void
    private let state: Mutex<State>

    private struct State {
        var answers: [PermissionFacts.Answer?]
        /// The place in `others` of the next one.
        var next = 0
    }

    /// - Parameter check: tries one, as `Admin.check`; called on several threads at the same time.
    init(_ permissions: [Permission], check: @escaping @Sendable (Permission) throws(LogError) -> Void) {
        self.permissions = permissions
        self.check = check
        writing = permissions.indices.filter { permissions[$0].writesToTopic }
        others = permissions.indices.filter { !permissions[$0].writesToTopic }
        state = Mutex(State(answers: permissions.map { _ in nil }))
    }

    /// Tries all of them. Blocks.
    ///
    /// - Returns: the answers, in the order of the permissions; `nil` where the program was told to end before.
    func run() -> [PermissionFacts.Answer?] {
        let group = DispatchGroup()
        start(in: group) { self.tryWriting() }
        for _ in 0..<min(Self.lanes, others.count) { start(in: group) { self.tryOthers() } }
        group.wait()
        return state.withLock { $0.answers }
    }

    private func start(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        let thread = Thread {
            body()
            group.leave()
        }
        thread.name = "permissions"
        thread.start()
    }

    private func tryOthers() {
        while !Signals.isStopRequested, let number = takeNext() { note(answer(to: permissions[number]), of: number) }
    }

    private func takeNext() -> Int? {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next < others.count ? others[state.next] : nil
        }
    }

    private func tryWriting() {
        var refusesNothing: PermissionFacts.Answer?
        for number in writing {
            if Signals.isStopRequested { return }
            let answer = refusesNothing ?? answer(to: permissions[number]) { refusesNothing = .untried }
            note(answer, of: number)
        }
    }

    /// - Parameter isUnsupported: called if the broker does not refuse what it should.
    private func answer(
        to permission: Permission, isUnsupported: () -> Void = {}
    ) -> PermissionFacts.Answer {
        do throws(LogError) {
            try check(permission)
            return .allowed
        } catch {
            if error.code == .unsupported { isUnsupported() }
            // The one that was asked for includes the one that the broker missed first.
            return error.code == .notAuthorised ? .refused : .unknown(error.message)
        }
    }

    private func note(_ answer: PermissionFacts.Answer, of number: Int) {
        state.withLock { $0.answers[number] = answer }
    }
}

extension PermissionFacts.Answer {
    fileprivate static var untried: Self { .unknown("the broker takes records that it should refuse (acks=2)") }
}

extension Permission {
    fileprivate var writesToTopic: Bool {
        if case .topic = resource { operation == .write } else { false }
    }
}
