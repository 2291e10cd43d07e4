import Access
import Crypto
import Foundation
import HTTPServer
import Messages
import Simulation
import TestSupport
import Testing
import Timelines

@testable import Gateway

/// Every operation of the OpenAPI document, by every kind of caller.
@Suite("Who may call which route", .answersConform)
struct AccessTableTests {
    /// The kinds of callers, by their token.
    enum Kind: String, CaseIterable {
        case none, bad, read, write
        /// Read and write, confined to the recipient ana and the reader ana.
        case ana
        /// The same of somebody else, who has nothing here.
        case ben
        /// Confined to the recipient ana; no readers.
        case recipientOnly
        /// Confined to the reader ana; no recipients.
        case readerOnly

        var headers: [String: String] { self == .none ? [:] : ["Authorization": "Bearer token-of-\(rawValue)"] }

        var token: AccessSettings.Token? {
            let sha256 = SHA256.hash(Array("token-of-\(rawValue)".utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
            func token(_ scopes: [String], _ recipients: [String]? = nil, _ readers: [String]? = nil)
                -> AccessSettings.Token
            {
                .init(name: rawValue, sha256: sha256, scopes: scopes, recipients: recipients, readers: readers)
            }
            return switch self {
            case .none, .bad: nil
            case .read: token(["read"])
            case .write: token(["write"])
            case .ana: token(["read", "write"], ["ana"], ["ana"])
            case .ben: token(["read", "write"], ["ben"], ["ben"])
            case .recipientOnly: token(["read", "write"], ["ana"])
            case .readerOnly: token(["read", "write"], nil, ["ana"])
            }
        }

        var scopes: Set<String> { Set(token?.scopes ?? []) }
    }

    /// What an operation is about, which decides who may see it.
    enum Subject { case open, list, recipient, reader, both, unconfined }

    private static let subjects: [String: Subject] = [
        "listTimelines": .list, "getTimeline": .recipient, "listEntries": .recipient,
        "listUpcomingEntries": .recipient, "getEntryAt": .recipient, "getSnapshot": .recipient,
        "getCalendar": .recipient, "listTimelinesOfRecipient": .list, "listKinds": .list, "listReloads": .list,
        "requestReloads": .recipient, "listConfigurations": .list, "getConfiguration": .recipient,
        "putConfiguration": .recipient, "patchConfiguration": .recipient, "deleteConfiguration": .recipient,
        "putMode": .recipient, "postTelemetry": .unconfined, "postEvents": .unconfined, "deleteEvent": .unconfined,
        "listPositions": .reader, "getPosition": .both, "putPosition": .both, "deletePosition": .both,
        "restorePosition": .both, "listSuggestions": .both, "dismissSuggestions": .both,
        "exportPositionState": .both, "stream": .list, "getOpenAPI": .open, "isLive": .open, "isReady": .open,
        "isStarted": .open,
    ]

    /// Statuses of success, by operation; 200 for others.
    private static let successes: [String: Int] = [
        "requestReloads": 202, "putConfiguration": 202, "patchConfiguration": 202, "deleteConfiguration": 202,
        "putMode": 202, "postTelemetry": 202, "postEvents": 202, "deleteEvent": 202, "putPosition": 202,
        "deletePosition": 202, "dismissSuggestions": 202,
    ]

    private static let bodies: [String: String] = [
        "requestReloads": #"{"kind": "AgendaWidget"}"#,
        "putConfiguration": #"{"kind": "AgendaWidget", "recipient": "ana"}"#, "patchConfiguration": "{}",
        "putMode": #"{"mode": "normal"}"#,
        "postTelemetry": #"{"vehicleId": "v", "observedAt": 0, "speed": 1}"#,
        "postEvents": #"{"calendarId": "c", "uid": "u", "title": "T", "start": "2026-01-01T00:00:00Z"}"#,
        "putPosition": #"{"entryId": "tick/2", "observedAt": "2026-01-01T00:00:00Z"}"#,
        "dismissSuggestions": #"{"entryIds": ["tick/1"]}"#,
    ]

    private static func stage() throws -> GatewayStage {
        let stage = try GatewayStage(tokens: Kind.allCases.compactMap(\.token))
        let configuration = #"{"configurationId": "rounds", "kind": "AgendaWidget", "recipient": "ana"}"#
        stage.cluster.appendKeyed(stage.topics.configurations, key: "rounds", value: configuration)
        let place = #"{"entryId": "tick/2", "observedAt": "2026-01-01T00:00:00Z"}"#
        let merged =
            #"{"readerId": "ana", "configurationId": "rounds", "position": PLACE, "devices": [{"position": PLACE}]}"#
        stage.cluster.appendKeyed(
            stage.topics.positionsMerged, key: "ana/rounds",
            value: merged.replacingOccurrences(of: "PLACE", with: place))
        try stage.publishTimeline("rounds", recipient: "ana")
        return stage
    }

    private static func target(_ operation: Operation, id: String = "rounds", reader: String = "ana") -> String {
        let names = [
            "configurationId": id, "readerId": reader, "recipient": "ana", "calendarId": "c", "uid": "u",
        ]
        var path = operation.path
        for (name, value) in names { path = path.replacingOccurrences(of: "{\(name)}", with: value) }
        switch operation.id {
        case "getEntryAt": path += "?instant=2026-01-01T00:30:00Z"
        case "listReloads": path += "?recipient=ana"
        default: break
        }
        return path
    }

    /// What the rules say, without looking at the code.
    private static func expected(_ operation: Operation, _ subject: Subject, _ caller: Kind) -> Int {
        let success = successes[operation.id] ?? 200
        if subject == .open { return success }
        if caller == .none || caller == .bad { return 401 }
        if !caller.scopes.contains(operation.scope) { return 403 }
        let isConfined = ![.read, .write].contains(caller)
        let (seesRecipient, seesReader) =
            switch caller {
            case .ben: (false, false)
            case .recipientOnly: (true, false)
            case .readerOnly: (false, true)
            default: (true, true)
            }
        switch subject {
        case .open, .list: return success
        case .unconfined: return isConfined ? 403 : success
        case .reader: return seesReader ? success : 404
        // A caller that names readers alone sees their positions everywhere, and no timeline.
        case .both: return seesReader && (seesRecipient || caller == .readerOnly) ? success : 404
        case .recipient:
            if seesRecipient { return success }
            // To such a caller there is no timeline of this kind.
            return operation.id == "requestReloads" ? 422 : 404
        }
    }

    @Test("the table has every operation of the document, and the router has no other")
    func complete() throws {
        let operations = try Operation.all()
        #expect(Set(operations.map(\.id)) == Set(Self.subjects.keys))
        let stage = try GatewayStage()
        let routes = GatewayRouter.routes(stage.context).map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(routes) == Set(operations.map { "\($0.method) \($0.path)" }))
        for route in GatewayRouter.routes(stage.context) {
            let operation = operations.first { $0.method == route.method.rawValue && $0.path == "\(route.path)" }
            #expect(operation?.scope == route.scope?.rawValue ?? "", "\(route.method) \(route.path)")
            #expect(operation?.query == route.query.sorted(), "\(route.method) \(route.path)")
        }
    }

    @Test("each caller gets from each route what the rules say", arguments: Kind.allCases)
    func table(caller: Kind) throws {
        for operation in try Operation.all() {
            let stage = try Self.stage()
            let subject = try #require(Self.subjects[operation.id])
            let response = try stage.send(
                operation.method, Self.target(operation), Self.bodies[operation.id], headers: caller.headers)
            let expected = Self.expected(operation, subject, caller)
            #expect(response.status == expected, "\(operation.id) by \(caller): \(response.text)")
            let wrote = stage.topics.inputs.reduce(0) { $0 + stage.cluster.records($1).count } > 1
            let isWrite = response.status == 202 && operation.id != "requestReloads"
            #expect(wrote == isWrite, "\(operation.id) by \(caller) wrote a record: \(wrote)")
        }
    }

    @Test("what a caller may not see answers as what does not exist, byte by byte", arguments: [Kind.ben, .readerOnly])
    func indistinguishable(caller: Kind) throws {
        for operation in try Operation.all()
        where [.recipient, .both, .reader, .list].contains(Self.subjects[operation.id]) {
            // Its own reader's positions exist for it, wherever they are.
            if caller == .readerOnly, Self.subjects[operation.id] == .both { continue }
            let stage = try Self.stage()
            func answer(_ id: String, _ reader: String) throws -> String {
                let response = try stage.send(
                    operation.method, Self.target(operation, id: id, reader: reader), Self.bodies[operation.id],
                    headers: caller.headers)
                let headers = response.headers.map { "\($0.name): \($0.value)" }
                return "\(response.status)\n\(headers.joined(separator: "\n"))\n\(response.text)"
            }
            let own = caller == .ben ? "ben" : "ana"
            #expect(try answer("rounds", own) == answer("nothing", own), "\(operation.id)")
            if Self.subjects[operation.id] != .list {
                #expect(
                    try answer("rounds", "ana") == answer("nothing", caller == .ben ? "cleo" : "ana"), "\(operation.id)"
                )
            }
        }
    }

    @Test("lists are empty for a caller who has nothing here")
    func lists() throws {
        let stage = try Self.stage()
        for target in ["/v1/timelines", "/v1/recipients/ana/timelines", "/v1/kinds", "/v1/configurations"] {
            #expect(try stage.send("GET", target, headers: Kind.ben.headers).text == "{\"items\":[]}\n", "\(target)")
        }
    }

    @Test("a confined caller makes configurations of its own recipients, under ids of its own")
    func creation() throws {
        let stage = try Self.stage()
        func put(_ id: String, _ body: String, by caller: Kind) throws -> Int {
            try stage.send("PUT", "/v1/configurations/\(id)", body, headers: caller.headers).status
        }
        #expect(try put("ben", #"{"kind": "K"}"#, by: .ben) == 202)
        #expect(try put("ben%2Fwall", #"{"kind": "K", "recipient": "ben"}"#, by: .ben) == 202)
        #expect(try put("ben%2Fwall", #"{"kind": "K", "recipient": "ana"}"#, by: .ben) == 422)
        #expect(try put("benny", #"{"kind": "K", "recipient": "ben"}"#, by: .ben) == 404)
        #expect(try put("rounds", #"{"kind": "K", "recipient": "ben"}"#, by: .ben) == 404)
        #expect(try put("rounds", #"{"kind": "K", "recipient": "ben"}"#, by: .ana) == 422)
    }

    @Test("an expired JSON Web Token is no credential, and one that names no recipients is confined to none")
    func webTokens() throws {
        let stage = try GatewayStage(jwt: .init(algorithms: ["HS256"], secret: WebToken.secret))
        let now = stage.clock.wall.milliseconds / 1000
        func status(_ claims: String) throws -> Int {
            let token = WebToken.make(claims)
            return try stage.send("GET", "/v1/timelines", headers: ["Authorization": "Bearer \(token)"]).status
        }
        #expect(try status(#"{"sub": "a", "scope": "read", "exp": \#(now + 60)}"#) == 200)
        #expect(try status(#"{"sub": "a", "scope": "write", "exp": \#(now + 60)}"#) == 403)
        #expect(try status(#"{"sub": "a", "scope": "read", "exp": \#(now - 3600)}"#) == 401)
    }
}
