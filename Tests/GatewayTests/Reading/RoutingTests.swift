import Access
import Foundation
import HTTPServer
import Messages
import Simulation
import TestSupport
import Testing
import Timelines

@testable import Gateway

@Suite("Paths, methods, callers and parameters")
struct RoutingTests {
    @Test("a path that there is not is 404, a method that it does not take 405 with those that it does")
    func methods() throws {
        let stage = try ReadingStage().start()
        for path in ["/", "/v1", "/v1/timelines/", "/v1/timelines//entries", "/v1/timelines/a/b", "/V1/timelines"] {
            #expect(try stage.get(path).status == 404, "\(path)")
        }
        let answer = try stage.send("POST", "/v1/timelines")
        #expect(answer.status == 405 && answer.header("Allow") == "GET, HEAD, OPTIONS")
        let options = try stage.send("OPTIONS", "/v1/timelines")
        #expect(options.status == 204 && options.header("Allow") == "GET, HEAD, OPTIONS")
        #expect(options.header("Access-Control-Allow-Methods") == nil)
        stage.cluster.publish("with/slash and space")
        try stage.read()
        #expect(try stage.send("HEAD", "/v1/timelines/with%2Fslash%20and%20space").status == 200)
        #expect(try stage.get("/v1/timelines/with/slash").status == 404)
    }

    @Test("a problem has the form of RFC 9457")
    func problems() throws {
        let stage = try ReadingStage().start()
        let answer = try stage.get("/v1/timelines?limit=0")
        #expect(answer.status == 400 && answer.header("Content-Type") == "application/problem+json")
        #expect(answer.object["type"] as? String == "urn:tideline:problem:invalid-parameters")
        #expect(answer.object["status"] as? Int == 400 && (answer.object["title"] as? String)?.isEmpty == false)
        let error = try #require((answer.object["errors"] as? [[String: Any]])?.first)
        #expect(
            error["field"] as? String == "limit" && error["message"] as? String == "must be a whole number, 1 to 500")
    }

    @Test(
        "a parameter that is unknown, given twice, empty or out of its bounds is refused by name",
        arguments: [
            ("/v1/timelines?foo=1", "foo"), ("/v1/timelines?limit=1&limit=2", "limit"), ("/v1/timelines?kind=", "kind"),
            ("/v1/timelines?limit=501", "limit"), ("/v1/timelines?limit=-1", "limit"),
            ("/v1/timelines?limit=%2B1", "limit"), ("/v1/timelines?limit=1e2", "limit"),
            ("/v1/timelines?limit=99999999999999999999", "limit"), ("/v1/timelines?after=", "after"),
            ("/v1/timelines/a?since=x", "since"), ("/v1/timelines/a?since=-1", "since"),
            ("/v1/recipients/ana/timelines?full=yes", "full"), ("/v1/kinds?x", "x"),
            ("/v1/configurations?kind=K", "kind"),
            ("/health/live?x=1", "x"),
        ])
    func parameters(target: String, field: String) throws {
        let answer = try ReadingStage().start().get(target)
        #expect(answer.status == 400 && answer.wrongFields == [field], "\(answer.text)")
    }

    @Test("all unknown parameters are named together, with those that are allowed")
    func severalParameters() throws {
        let answer = try ReadingStage().start().get("/v1/timelines?foo=1&bar=2&kind=K")
        #expect(answer.wrongFields == ["foo", "bar"])
        let errors = try #require(answer.object["errors"] as? [[String: Any]])
        #expect(errors[0]["allowed"] as? [String] == ["recipient", "kind", "limit", "after"])
    }

    @Test(
        "without tokens everybody may read; with them nobody else, and what a caller may not see is as if it were not")
    func callers() throws {
        let tokens = [AccessSettings.Token.of("ana", recipients: ["ana"])]
        let stage = try ReadingStage(tokens: tokens).start()
        stage.cluster.publish("a", recipient: "ana", kind: "K")
        stage.cluster.publish("b", recipient: "ben", kind: "L")
        stage.cluster.configure("a", #""kind":"K","recipient":"ana""#)
        stage.cluster.configure("b", #""kind":"L","recipient":"ben""#)
        stage.cluster.reload("ben")
        try stage.read()
        for path in ["/v1/timelines", "/v1/timelines/a", "/v1/timelines/none", "/v1/kinds"] {
            let answer = try stage.get(path)
            #expect(answer.status == 401 && answer.header("WWW-Authenticate")?.hasPrefix("Bearer") == true, "\(path)")
            #expect(try stage.get(path, token: "token-of-ben").status == 401)
        }
        #expect(try stage.get("/health/ready").status == 200, "without a token")
        let token = "token-of-ana"
        #expect(try stage.get("/v1/timelines", token: token).items("configurationId") == ["a"])
        #expect(try stage.get("/v1/kinds", token: token).items("kind") == ["K"])
        #expect(try stage.get("/v1/configurations", token: token).items("configurationId") == ["a"])
        #expect(try stage.get("/v1/timelines/a", token: token).status == 200)
        for path in [
            "timelines/ID", "timelines/ID?since=1", "timelines/ID/entries", "timelines/ID/upcoming",
            "timelines/ID/at?instant=0", "timelines/ID/snapshot", "timelines/ID/calendar.ics", "configurations/ID",
        ] {
            let hidden = try stage.get("/v1/" + path.replacing("ID", with: "b"), token: token)
            let absent = try stage.get("/v1/" + path.replacing("ID", with: "none"), token: token)
            #expect(hidden.status == 404 && hidden.bytes == absent.bytes, "\(path)")
        }
        for path in ["timelines?recipient=ben", "recipients/ben/timelines", "reloads?recipient=ben"] {
            let hidden = try stage.get("/v1/" + path, token: token)
            let absent = try stage.get("/v1/" + path.replacing("ben", with: "nobody"), token: token)
            #expect(hidden.status == 200 && hidden.bytes == absent.bytes, "\(path)")
        }
    }

    @Test("kinds are those that are declared, with names, families and parameters, and those that are seen")
    func kinds() throws {
        var parser = JSONParser()
        let declared = """
            {"Board":{"displayName":"A board","supportedFamilies":["systemLarge"],
            "parameters":{"theme":{"title":"Theme","type":"string","default":"light"},
            "lines":{"title":"Lines","type":"array","items":"number"}}}}
            """
        let tree = try Array(declared.utf8).withUnsafeBytes { try parser.value($0) }
        let stage = try ReadingStage(kinds: try WidgetKinds(tree)).start()
        stage.cluster.publish("a", kind: "Other")
        try stage.read()
        let items = try #require(try stage.get("/v1/kinds").object["items"] as? [[String: Any]])
        #expect(items.map { $0["kind"] as? String } == ["Board", "Other"])
        #expect(items[0]["displayName"] as? String == "A board" && items[0]["declared"] as? Bool == true)
        #expect(items[0]["supportedFamilies"] as? [String] == ["systemLarge"])
        let parameters = try #require(items[0]["parameters"] as? [String: [String: Any]])
        #expect(parameters["theme"]?["default"] as? String == "light")
        #expect(parameters["lines"]?["items"] as? String == "number")
        #expect(items[1]["declared"] as? Bool == false && (items[1]["supportedFamilies"] as? [Any])?.count == 9)
    }

    @Test("a configuration is shown without the token of its push, whatever form that has")
    func secrets() throws {
        let stage = try ReadingStage().start()
        let token = "0123456789abcdef"
        stage.cluster.configure(
            "a",
            #""kind":"K","push":{"token":"\#(token)","topic":"com.example","environment":"sandbox","T":"\#(token)"}"#
        )
        stage.cluster.configure("b", #""kind":"K","push":"\#(token)""#)
        stage.cluster.configure("c", #""kind":"K","push":["\#(token)"],"parameters":{"x":1.50}"#)
        stage.cluster.configure("d", #""kind":"K","push":{"token":"x"},"push":{"token":"\#(token)","topic":"t"}"#)
        try stage.read()
        for path in ["/v1/configurations", "/v1/configurations/a", "/v1/configurations/b", "/v1/configurations/d"] {
            let answer = try stage.get(path)
            #expect(answer.status == 200 && !answer.text.contains(token), "\(answer.text)")
        }
        let push = try stage.get("/v1/configurations/a").object["push"] as? [String: String]
        #expect(push == ["topic": "com.example", "environment": "sandbox"])
        #expect(try stage.get("/v1/configurations/c").text.contains(#""parameters":{"x":1.50}"#))
        let tag = try #require(try stage.get("/v1/configurations/a").header("ETag"))
        #expect(try stage.get("/v1/configurations/a", headers: ["If-None-Match": tag]).status == 304)
        #expect(try stage.get("/v1/configurations?limit=2").object["next"] as? String == "b")
    }

    @Test("other origins may read where the settings name them, and nowhere else")
    func crossOrigin() throws {
        let origin = "https://app.example"
        let none = CrossOrigin([]), one = CrossOrigin([origin]), all = CrossOrigin(["*"])
        func allowed(_ rules: CrossOrigin, _ origin: String?) -> String? {
            rules.headers(for: HTTPHeaders(origin.map { [HTTPField("Origin", $0)] } ?? []))
                .first { $0.name == "Access-Control-Allow-Origin" }?.value
        }
        #expect(allowed(none, origin) == nil && allowed(one, origin) == origin && allowed(all, origin) == "*")
        #expect(allowed(one, "https://evil.example") == nil && allowed(one, nil) == nil)
        let stage = try ReadingStage { $0.allowedOrigins = [origin] }.start()
        let preflight = try stage.send(
            "OPTIONS", "/v1/timelines", headers: ["Origin": origin, "Access-Control-Request-Method": "GET"])
        #expect(preflight.header("Access-Control-Allow-Headers")?.contains("Authorization") == true)
    }
}

@Suite("Who may call a server that asks for no token")
struct LocalCallerTests {
    @Test(
        "a page that makes its name an address of this machine is refused",
        arguments: ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", "[::2]:8080", ""])
    func foreignHosts(host: String) throws {
        let answer = try ReadingStage().start().get("/v1/timelines", headers: ["Host": host])
        #expect(answer.status == 421, "\(answer.text)")
    }

    @Test(
        "the machine's own names are answered", arguments: ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:80"])
    func ownHosts(host: String) throws {
        #expect(try ReadingStage().start().get("/v1/timelines", headers: ["Host": host]).status == 200)
    }

    @Test("a page of another origin may not write, but one of serve.cors; with tokens the token decides")
    func origins() throws {
        let origin = "https://app.example"
        let headers = ["Origin": origin, "Host": "127.0.0.1"]
        let closed = try ReadingStage().start()
        #expect(try closed.send("POST", "/v1/timelines", headers: headers).status == 403)
        #expect(try closed.get("/v1/timelines", headers: headers).status == 200)
        let open = try ReadingStage { $0.allowedOrigins = [origin] }.start()
        #expect(try open.send("POST", "/v1/timelines", headers: headers).status == 405)
        let tokens = try ReadingStage(tokens: [.of("ana")]).start()
        let named = ["Host": "api.example", "Origin": origin]
        #expect(try tokens.get("/v1/timelines", token: "token-of-ana", headers: named).status == 200)
    }

    @Test("a calendar program sends its token as a password, to the calendar alone")
    func passwords() throws {
        let stage = try ReadingStage(tokens: [.of("ana", recipients: ["ana"])]).start()
        stage.cluster.configure("a", #""kind":"K","recipient":"ana""#)
        try stage.read()
        let basic = { (text: String) in "Basic " + Data(text.utf8).base64EncodedString() }
        let path = "/v1/timelines/none/calendar.ics"
        let good = basic("whoever:token-of-ana")
        #expect(try stage.get(path, headers: ["Authorization": good]).status == 404)
        for wrong in [basic("token-of-ana"), basic("ana:token-of-ben"), "Basic !", basic(":")] {
            let answer = try stage.get(path, headers: ["Authorization": wrong])
            #expect(answer.status == 401)
            #expect(answer.header("WWW-Authenticate")?.contains(#"Basic realm="tideline""#) == true)
        }
        #expect(try stage.get("/v1/timelines", headers: ["Authorization": good]).status == 401)
    }
}
