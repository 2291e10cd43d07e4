import Foundation
import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("The sink of timelines over HTTP: hosts that fail, and those beside them")
struct HTTPTimelinesHostTests {
    private let stage = TimelineStage()
    private let routed = "https://{recipient}.example/timelines/{configurationId}"
    private let base = "https://t.example/timelines"

    @Test("a host that answers nothing, or with failures alone, gets one request at a time, and others go on")
    func dead() throws {
        for number in 0..<60 { stage.append("d\(number)", 1, recipient: "dead") }
        for number in 0..<20 { stage.append("c\(number)", 1) }
        stage.fault = { [unowned stage] request in
            let isDead = request.url.contains("dead.example") && stage.service.clock.now < .seconds(300)
            stage.service.latency = isDead ? .seconds(20) : .zero
            let statuses = [408, 425, 429, 500, 503]
            let count = stage.requests.count
            if !isDead { return nil }
            return count.isMultiple(of: 2)
                ? .failure(HTTPClientError(.timedOut, "no answer")) : .status(statuses[count % statuses.count])
        }
        var appended: Duration?
        let summary = try stage.run(
            routed, hosts: ["*.example"],
            stop: {
                guard stage.service.clock.now > .seconds(100), appended == nil else { return false }
                stage.append("late", 1)
                appended = stage.service.clock.now
                return false
            }, change: { $0.pace.requestsMax = 16 })
        #expect(summary.delivered == 81 && summary.deadLetters == 0 && stage.position == 81)
        let times = stage.service.requests.filter { $0.request.url.contains("dead") && $0.at < .seconds(300) }.map(\.at)
        #expect(times.prefix { $0 < .seconds(20) }.count == 16)
        let probes = times.drop { $0 < .seconds(20) }
        #expect(probes.count > 3 && zip(probes, probes.dropFirst()).allSatisfy { $1 - $0 >= .seconds(20) }, "\(probes)")
        let others = stage.service.requests.filter { $0.request.url.contains("ana") }
        #expect(others.dropLast().allSatisfy { $0.at < .seconds(21) })
        #expect(try #require(others.last).at - (try #require(appended)) < .seconds(1))
        let notices = stage.notices.map(\.description)
        #expect(notices.count == 3 && notices[1].contains("5 failures in a row"), "\(notices)")
        #expect(notices.last?.hasPrefix("dead.example takes records again, after ") == true)
    }

    @Test("Retry-After holds up all that goes to the host", arguments: [429, 503])
    func retryAfter(status: Int) throws {
        for number in 0..<30 { stage.append("c\(number)", 1) }
        stage.fault = { [unowned stage] _ in
            stage.service.clock.now < .seconds(60) ? .status(status, retryAfter: "60") : nil
        }
        let summary = try stage.run(change: { $0.pace.requestsMax = 4 })
        #expect(summary.delivered == 30 && stage.requests.count == 34)
        #expect(stage.service.requests.count { $0.at < .seconds(60) } == 4)
        #expect(stage.notices.count == 2, "\(stage.notices)")
    }

    @Test("timelines that fail for their own sake, one or two, keep no other from a host for longer than one pause")
    func poison() throws {
        for names in [["x"], ["x", "y"]] {
            let stage = TimelineStage()
            for name in names { stage.append(name, 1) }
            stage.fault = { $0.url.hasSuffix("/a") ? nil : .status(500) }
            var appended: Duration?
            try stage.run(
                stop: {
                    if stage.service.clock.now > .seconds(600), appended == nil {
                        stage.append("a", 1)
                        appended = stage.service.clock.now
                    }
                    return !stage.held.isEmpty || stage.service.clock.now > .seconds(1200)
                }, change: { $0.pace.backoff.most = .seconds(60) })
            let sent = try #require(stage.service.requests.first { $0.request.url.hasSuffix("/a") })
            let waited = sent.at - (try #require(appended))
            #expect(waited < .seconds(names.count == 1 ? 1 : 31), "\(names): \(waited)")
        }
    }

    @Test(
        "a timeline that is turned away while others are taken waits alone, and is a dead letter in the end",
        arguments: [401, 402, 403, 404, 405, 410, 421, 423, 426, 301, 302, 307, 308])
    func turnedAway(status: Int) throws {
        stage.append("x", 1)
        let answer = Result.redirect(status, "https://new.example/moved?token=hunter2")
        stage.fault = { $0.url.hasSuffix("/x") ? (status < 400 ? answer : .status(status)) : nil }
        var appended: [Duration] = []
        let summary = try stage.run(
            stop: {
                if stage.service.clock.now > .seconds(30 * (appended.count + 1)), appended.count < 100 {
                    stage.append("c\(appended.count)", 1)
                    // A newer one is refused for the same reason.
                    if appended.count == 3 { stage.append("x", 2) }
                    appended.append(stage.service.clock.now)
                }
                let isSettled = !stage.deadLetters.isEmpty && stage.position == appended.count + 2
                return isSettled || stage.service.clock.now > .seconds(2400)
            },
            change: {
                $0.reading.untilCaughtUp = false
                $0.pace.ageMax = .seconds(600)
            })
        #expect(summary.deadLetters == 1 && summary.delivered == appended.count && appended.count > 20)
        let told = try #require(stage.deadLetters.first)
        #expect(told.hasPrefix("configuration x: ") && told.contains("t.example: status \(status)"), "\(told)")
        #expect(told.contains("https://new.example/moved;") == (status < 400) && !told.contains("hunter2"), "\(told)")
        let others = stage.service.requests.filter { !$0.request.url.hasSuffix("/x") }.map(\.at)
        // The first finds the host paused by it.
        let waits = zip(others, appended).map { $0 - $1 }.dropFirst()
        #expect(waits.allSatisfy { $0 < .seconds(1) }, "\(waits)")
        #expect(stage.notices.count { if case .turnedAway = $0 { true } else { false } } == 1)
    }

    @Test("while a target turns all away, none is a dead letter; what it need not delete says nothing of it")
    func turnsAllAway() throws {
        for number in 0..<5 { stage.append("c\(number)", 1) }
        stage.fault = { [unowned stage] _ in stage.service.clock.now < .seconds(3000) ? .status(404) : nil }
        var deleted = 0
        let summary = try stage.run(
            stop: {
                if stage.service.clock.now > .seconds(100 * (deleted + 1)), deleted < 20 {
                    stage.append("never-there-\(deleted)", value: nil)
                    deleted += 1
                }
                return false
            },
            change: {
                $0.pace.ageMax = .seconds(600)
                $0.pace.requestsMax = 1
            })
        #expect(summary.deadLetters == 0 && stage.held.count == 5 && stage.position == 25)
    }

    @Test("a host that takes nothing is named with what waits for it as long as it does, whatever another one takes")
    func away() throws {
        for number in 0..<5 { stage.append("d\(number)", 1, recipient: "dead") }
        stage.fault = { [unowned stage] request in
            let isDead = request.url.contains("dead.example") && stage.service.clock.now < .seconds(300)
            return isDead ? .status(404) : nil
        }
        var appended = 0
        var seen: [[HostAway]] = []
        try stage.run(
            routed, hosts: ["*.example"],
            stop: {
                if stage.service.clock.now > .seconds(10 * (appended + 1)), appended < 25 {
                    appended += 1
                    stage.append("c", appended)
                }
                return false
            },
            progress: { progress in
                if progress.summary.delivered > 0 { seen.append(progress.hostsAway) }
            })
        let away = seen.filter { !$0.isEmpty }
        #expect(appended == 25 && away.count > 100 && seen.last?.isEmpty == true)
        #expect(away.allSatisfy { $0.map(\.host) == ["dead.example"] && $0[0].waiting <= 5 })
        #expect(away.allSatisfy { $0[0].reason.contains("dead.example: status 404") && !$0[0].fillsUp })
        let oldest = try #require(away.map { $0[0].age }.max())
        #expect(oldest > .seconds(240) && oldest < .seconds(900), "\(oldest)")
    }

    @Test("what waits for a host that takes nothing and leaves no room for others is told")
    func full() throws {
        for number in 0..<20 { stage.append("d\(number)", 1, recipient: "dead") }
        stage.append("late", 1)
        stage.fault = { [unowned stage] request in
            let isDead = request.url.contains("dead.example") && stage.service.clock.now < .seconds(60)
            return isDead ? .status(503) : nil
        }
        var told: Set<String> = []
        try stage.run(
            routed, hosts: ["*.example"], progress: { for host in $0.hostsAway { told.insert(host.description) } },
            change: {
                $0.outstandingMax = 10
                $0.reading.batchMaximum = 10
            })
        let sentence = "10 records wait for dead.example, and nothing is read before it takes some"
        #expect(told.contains { $0.hasSuffix(sentence) }, "\(told)")
        let fills = stage.notices.filter { $0.description.contains(sentence) }
        #expect(fills.count == 1 && stage.held.count == 21, "\(stage.notices)")
    }

    @Test("one that is turned away, or redirected, keeps no other from a host", arguments: [404, 302])
    func turnedAwayFirst(status: Int) throws {
        for number in 0..<3 { stage.append("bad\(number)", 1) }
        for number in 0..<10 { stage.append("c\(number)", 1) }
        let answer = Result.redirect(status, "/login")
        stage.fault = { $0.url.contains("/bad") ? (status < 400 ? answer : .status(status)) : nil }
        let summary = try stage.run(
            stop: { stage.service.clock.now > .seconds(600) },
            change: {
                $0.reading.untilCaughtUp = false
                $0.pace.requestsMax = 1
            })
        #expect(summary.delivered == 10 && summary.deadLetters == 0)
        let others = stage.service.requests.filter { $0.request.url.contains("/c") }
        #expect(others.allSatisfy { $0.at < .seconds(60) }, "\(others.map(\.at))")
    }

    @Test("one timeline for which a host asks for an hour keeps no other waiting twice", arguments: [429, 503])
    func asksForItself(status: Int) throws {
        stage.append("x", 1)
        stage.fault = { $0.url.hasSuffix("/x") ? .status(status, retryAfter: "3600") : nil }
        var appended: [Duration] = []
        try stage.run(
            stop: {
                if stage.service.clock.now > .seconds(600 * (appended.count + 1)), appended.count < 30 {
                    stage.append("c\(appended.count)", 1)
                    appended.append(stage.service.clock.now)
                }
                return stage.service.clock.now > .seconds(20_000)
            }, change: { $0.reading.untilCaughtUp = false })
        let others = stage.service.requests.filter { !$0.request.url.hasSuffix("/x") }.map(\.at)
        let waits = zip(others, appended).map { $0 - $1 }
        #expect(waits.count == 30 && waits.drop { $0 > .seconds(1) }.allSatisfy { $0 < .seconds(1) }, "\(waits)")
        #expect(waits.count { $0 > .seconds(1) } < 7)
    }

    @Test(
        "its place is told without what may be a secret",
        arguments: [
            ("https://ana:hunter2@new.example/x#hunter2", "https://new.example/x"), ("/y?hunter2", "/y"), ("", nil),
            ("https://t.example/xoxb-hunter2-long/bad/", nil),
        ])
    func location(location: String, shown: String?) throws {
        stage.append("bad", 1)
        stage.fault = { _ in .redirect(302, location) }
        try stage.run(
            "https://t.example/xoxb-hunter2-long/{configurationId}?key=hunter2",
            stop: { !stage.notices.isEmpty || stage.service.clock.now > .seconds(60) },
            change: { $0.reading.untilCaughtUp = false })
        let told = try #require(stage.notices.first).description
        #expect(stage.deadLetters.isEmpty)
        #expect(told.contains("status 302") && !told.contains("hunter2"), "\(told)")
        #expect(told.contains(shown.map { "and the location \($0);" } ?? "302; "), "\(told)")
    }
}

extension Result<HTTPClientResponse, HTTPClientError> {
    fileprivate static func redirect(_ status: Int, _ location: String) -> Self {
        .success(HTTPClientResponse(status: status, headers: [HTTPHeader("location", location)]))
    }
}
