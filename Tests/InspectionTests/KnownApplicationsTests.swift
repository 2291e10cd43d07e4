import Inspection
import Testing

@Suite("Applications are known by the topics of their own")
struct KnownApplicationsTests {
    private static let topics = [
        "timelines", "tideline.state", "tideline.exchange", "tideline.pushes", "blue.exchange", "blue.state",
        "green.state",
    ]
    private let known = KnownApplications(topics: topics)

    @Test("an application has both internal topics")
    func ids() {
        #expect(known.ids == ["blue", "tideline"])
    }

    @Test("of an id without any topic those are named that are near it, else those that there are")
    func warnings() throws {
        let near = try #require(known.warning(about: "tidelin"))
        #expect(near.contains("'tidelin' has no topic here") && near.hasSuffix("near it is 'tideline'"), "\(near)")
        let other = try #require(known.warning(about: "zzz-zzz-zzz"))
        #expect(other.hasSuffix("nothing is near it; applications are 'blue', 'tideline'"), "\(other)")
    }

    @Test("who has any topic of their own is not warned of, nor is anybody where no application is")
    func silence() {
        #expect(known.warning(about: "blue") == nil && known.warning(about: "green") == nil)
        let sink = KnownApplications(topics: Self.topics + ["gray.sinks", "grey.operations"])
        #expect(sink.warning(about: "gray") == nil && sink.warning(about: "grey") == nil)
        #expect(KnownApplications(topics: ["timelines"]).warning(about: "tideline") == nil)
    }
}
