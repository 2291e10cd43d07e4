import StreamCore
import Testing

@testable import StreamRuntime

/// Who is taken for the owner of a transaction that stays open.
@Suite("Owners that stand still: R15")
struct StillOwnersTests {
    private let settings = StreamSettings(applicationId: "app", exchangeTopic: "exchange", stateTopic: "state")
    private var patience: Duration { settings.standStillPatience }

    private func claim(_ owner: String, _ number: Int64, isReleased: Bool = false) -> Claim? {
        Claim(transactionalId: owner, number: number, isReleased: isReleased)
    }

    private func numbers(_ claims: [Claim?], _ members: [String] = []) -> [String: Int64] {
        StillOwners.Commits(of: claims, and: members, but: "app-own.1").numbers
    }

    @Test("the highest number of an owner counts; a member without an open claim has committed nothing")
    func highest() {
        let claims = [claim("app-a", 3), claim("app-a", 7), claim("app-b", 5, isReleased: true)]
        #expect(numbers(claims, ["app-a", "app-b", "app-c"]) == ["app-a": 7, "app-b": 0, "app-c": 0])
    }

    @Test("a format without numbers tells nothing of its owner, and a claim that cannot be read nothing of any member")
    func silent() {
        let old = Claim("app-old", prefix: "app-")
        #expect(old?.number == nil)
        #expect(numbers([old, claim("app-a", 3)], ["app-old", "app-c"]) == ["app-a": 3, "app-c": 0])
        #expect(numbers([nil, claim("app-a", 3)], ["app-a", "app-c"]) == ["app-a": 3])
    }

    @Test("the threads of the asking process live")
    func siblings() {
        #expect(numbers([claim("app-own.2", 1), claim("app-other.2", 1)], ["app-own.3"]) == ["app-other.2": 1])
        #expect("app-instance-1-name.1".processOfThread == "app-instance-2-name.2".processOfThread)
        #expect("app-a-b.10".processOfThread == "b")
        #expect("a".processOfThread == "a")
    }

    private func note(_ owners: inout StillOwners, _ all: [String: Int64], at now: Duration) {
        owners.note(
            StillOwners.Commits(of: all.keys.sorted().map { claim($0, all[$0] ?? 0) }, and: [], but: "app-own"),
            at: now)
    }

    @Test("who commits while a transaction is open does not hold it; who committed last is ended first")
    func order() {
        var owners = StillOwners()
        note(&owners, ["app-idle": 4, "app-dead": 7, "app-busy": 1], at: .seconds(1))
        note(&owners, ["app-idle": 4, "app-dead": 8, "app-busy": 2], at: .seconds(11))
        // It is open since second ten.
        note(&owners, ["app-idle": 4, "app-dead": 8, "app-busy": 90], at: .seconds(18))
        let end = Duration.seconds(10) + patience
        #expect(owners.owners(blockedSince: .seconds(10), now: end, settings) == ["app-dead", "app-idle"])
    }

    @Test("an owner that held something is ended once for each of its commits, one that held nothing each time")
    func once() {
        var owners = StillOwners()
        note(&owners, ["app-long": 4, "app-idle": 0], at: .zero)
        #expect(owners.owners(blockedSince: .zero, now: patience, settings) == ["app-idle", "app-long"])
        owners.noteEnd(of: "app-idle", at: patience, hasFreed: false)
        #expect(owners.owners(blockedSince: .zero, now: patience, settings) == ["app-long"])
        owners.noteEnd(of: "app-long", at: patience, hasFreed: true)
        note(&owners, ["app-long": 4, "app-idle": 0], at: .seconds(60))
        #expect(owners.owners(blockedSince: .seconds(60), now: .seconds(60) + patience, settings) == ["app-idle"])
        note(&owners, ["app-long": 5], at: .seconds(90))
        #expect(owners.owners(blockedSince: .seconds(90), now: .seconds(90) + patience, settings) == ["app-long"])
    }

    @Test("who cannot be ended holds up nobody else")
    func failing() {
        var owners = StillOwners()
        note(&owners, ["app-a": 4, "app-b": 4], at: .zero)
        note(&owners, ["app-a": 5, "app-b": 4], at: .seconds(1))
        #expect(owners.owners(blockedSince: .zero, now: patience, settings) == ["app-a", "app-b"])
        owners.noteFailure(of: "app-a")
        #expect(owners.owners(blockedSince: .zero, now: patience, settings) == ["app-b", "app-a"])
    }

    @Test("who was first seen late is waited for as long as anybody")
    func late() {
        var owners = StillOwners()
        note(&owners, ["app-a": 4], at: .seconds(8))
        #expect(owners.owners(blockedSince: .zero, now: patience, settings) == [])
        #expect(owners.owners(blockedSince: .zero, now: .seconds(8) + patience, settings) == ["app-a"])
    }

    @Test("longer than commits may lie apart is waited, whatever the session")
    func patienceOfCommits() {
        var settings = settings
        settings.sessionTimeout = .seconds(2)
        #expect(settings.standStillPatience >= .seconds(3))
        settings.commitInterval = .seconds(4)
        #expect(settings.standStillPatience >= .seconds(12))
    }
}
