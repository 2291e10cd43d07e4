import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("Reloads that grow old")
struct ReloadAgeTests {
    private let stage = ReloadStage()

    @Test("are not pushed any more, and counted; younger ones are, and what is younger takes them along")
    func tooOld() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        stage.reload("r", ["a"])
        stage.reload("r", ["b"])
        stage.time.advance(by: .seconds(86_401))
        stage.reload("r", ["b"])
        let summary = try await stage.push()
        #expect(stage.service.tokens == ["bb02"])
        #expect(summary.tooOld == 1 && summary.delivered == 1 && summary.deadLetters == 0)
        #expect(stage.position() == 3)
    }

    @Test("are posted to a webhook all the same")
    func posted() throws {
        stage.reload("r", ["a"])
        stage.time.advance(by: .seconds(864_000))
        #expect(try stage.post().delivered == 1)
    }

    @Test(
        "of a device that fails all the time make dead letters, with newer ones or without", arguments: [false, true])
    func givenUp(hasNewer: Bool) async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.respond = { _ in .status(503, "ServiceUnavailable") }
        var rounds = 0
        let summary = try await stage.push(
            stop: {
                rounds += 1
                if hasNewer, rounds.isMultiple(of: 100), rounds < 3000 { stage.reload("r", ["a"]) }
                return stage.deadLetters.isEmpty == false || rounds > 20_000
            }, change: { $0.pace.ageMax = .seconds(300) })
        #expect(summary.deadLetters >= 1 && summary.delivered == 0 && stage.position() >= 1)
        let message = try #require(stage.deadLetters.first?.header("__streams.errors.message"))
        #expect(message.contains("503, ServiceUnavailable"))
    }

    @Test("that a webhook turns away while it takes others wait with all, and are no dead letters")
    func turnedAway() throws {
        stage.reload("stranger", ["x"])
        stage.service.respond = { request in
            .status(String(decoding: request.body, as: UTF8.self).contains("stranger") ? 404 : 200)
        }
        var rounds = 0
        let summary = try stage.post(
            stop: {
                rounds += 1
                if rounds.isMultiple(of: 100), rounds < 2000 { stage.reload("other", ["y"]) }
                return rounds > 5000
            },
            change: {
                $0.reading.untilCaughtUp = false
                $0.pace.ageMax = .seconds(300)
            })
        #expect(summary.deadLetters == 0 && summary.delivered == 19)
    }

    @Test("that a webhook alone cannot take are dead letters; while it takes none, all wait", arguments: [true, false])
    func poison(takesOthers: Bool) throws {
        stage.reload("poison", ["x"])
        stage.service.respond = { request in
            let isPoison = String(decoding: request.body, as: UTF8.self).contains("poison")
            return .status(isPoison || !takesOthers ? 500 : 200)
        }
        var rounds = 0
        let summary = try stage.post(
            stop: {
                rounds += 1
                if rounds == 100 { stage.reload("other", ["y"]) }
                return rounds > 5000
            },
            change: {
                $0.reading.untilCaughtUp = false
                $0.pace.ageMax = .seconds(300)
            })
        #expect(summary.deadLetters == (takesOthers ? 1 : 0) && summary.tooOld == 0)
        #expect(stage.position("hook") == (takesOthers ? 2 : 0))
    }
}
