import RecordLog
import Testing

@testable import StreamRuntime

/// Whom an operator is told of while a transaction stays open.
@Suite("Owners that have not released their tasks: R4")
struct ClaimedOwnersTests {
    private func member(_ clientId: String, instance: String? = nil) -> GroupMember {
        GroupMember(memberId: clientId + "-1", clientId: clientId, instance: instance, assigned: nil)
    }

    private func owners(_ metadata: [String], _ members: [GroupMember] = []) -> ClaimedOwners {
        ClaimedOwners(beside: metadata, of: "app", members: members)
    }

    @Test("each is named once, ascending, and a released claim names nobody")
    func gone() {
        let found = owners(["app-b.1 7 open", "app-a.1 3 open", "app-b.1 9 open", "app-c.1 4 released"])
        #expect(found.gone == ["app-a.1", "app-b.1"] && found.alive.isEmpty)
    }

    @Test("who is in the group is alive, also as any thread of a named instance")
    func alive() {
        let members = [member("app-a.1"), member("app-one-x.1", instance: "one")]
        let found = owners(["app-a.1 3 open", "app-b.1 3 open", "app-one-y.1 2 open"], members)
        #expect(found.alive == ["app-a.1", "app-one-y.1"] && found.gone == ["app-b.1"])
    }

    @Test("a claim of the format before counts as open; what is no claim of the application is passed over")
    func others() {
        let found = owners(["app-old", "", "other-a.1 3 open", "app-a.1 x open"])
        #expect(found.gone == ["app-old"])
    }
}
