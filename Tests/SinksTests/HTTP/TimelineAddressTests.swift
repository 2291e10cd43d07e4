import HTTPClient
import Sinks
import Testing

@Suite("Addresses of timelines")
struct TimelineAddressTests {
    @Test(
        "what cannot be an address is refused with what is allowed, and never shown",
        arguments: [
            ("https://user:hunter2@t.example/{configurationId}", "without user, password"),
            ("https://t.example/x#hunter2", "without user, password and fragment"),
            ("http://t.example/hunter2", "must be https; http is for loopback"),
            ("http://{recipient}.example/hunter2", "must be https; http is for loopback"),
            ("https://t.example/{hunter}", "unknown field {hunter}"),
            ("https://t.example/{recipient", "a brace without its other"),
            ("https://t.example/recipient}", "a brace without its other"),
            ("https://t.example/hunter2 x", "percent-encode"), ("https:///hunter2", "must be an address"),
            ("https://t.example:{recipient}/", "must be"), ("https:t.example", "such as https://{recipient}.example"),
        ])
    func refused(text: String, reason: String) {
        #expect {
            _ = try TimelineAddress(text)
        } throws: { error in
            "\(error)".contains(reason) && !"\(error)".contains("hunter2")
        }
    }

    @Test("a field in the host needs the hosts to be named; the refusal says the line that names them")
    func hostsAreNamed() throws {
        for (text, line) in [
            ("https://{recipient}.phones.example/x", "sink.http.hosts=*.phones.example"),
            ("https://w-{recipient}.example:8443/x", "sink.http.hosts=*.example"),
            ("https://{recipient}/x", "sink.http.hosts=HOST,HOST"),
            ("https://{recipient}.{kind}.example/", "sink.http.hosts=HOST,HOST"),
        ] {
            let address = try TimelineAddress(text)
            #expect { try address.check([]) } throws: { "\($0)".contains("--set '\(line)'") }
            try address.check([try #require(AllowedHost("*.example"))])
        }
        try TimelineAddress("https://t.example/{recipient}").check([])
    }

    @Test(
        "a host that may be made: this one, or any with one label more",
        arguments: [
            ("a.example", "a.example", true), ("a.example", "b.example", false), ("A.Example", "a.example", true),
            ("*.example", "a.example", true), ("*.example", "example", false), ("*.example", "a.b.example", false),
            ("*.example", ".example", false), ("*.b.example", "a.b.example", true), ("*.example", "aexample", false),
        ])
    func allowedHosts(pattern: String, host: String, isAllowed: Bool) throws {
        #expect(AllowedHost(pattern)?.allows(host) == isAllowed)
    }

    @Test("hosts that are none", arguments: ["", "*", "*.", "a.*.example", "a_b.example", "-a.example", "a:80"])
    func noHosts(text: String) {
        #expect(AllowedHost(text) == nil)
    }

    @Test("fields are escaped for where they stand")
    func escapes() throws {
        let stage = TimelineStage()
        stage.append("a/b c?d&e=f%#\u{E9}", 1, recipient: "phone-7")
        try stage.run(
            "https://{recipient}.example:8443/{kind}/x-{configurationId}?c={configurationId}&f={family}",
            hosts: ["*.example"])
        let id = "a%2Fb%20c%3Fd%26e%3Df%25%23%C3%A9"
        #expect(
            stage.requests.map(\.url) == [
                "https://phone-7.example:8443/Demo/x-\(id)?c=\(id)&f=systemMedium"
            ])
    }

    @Test(
        "what would make another host, or another path, is a bad record that names configuration and field",
        arguments: [
            ("https://{recipient}.example/", "a.evil", "cannot stand in a host"),
            ("https://{recipient}.example/", "evil.com/", "cannot stand in a host"),
            ("https://{recipient}.example/", "x@evil", "cannot stand in a host"),
            ("https://{recipient}.example/", "Ana", "cannot stand in a host"),
            ("https://{recipient}.example/", "-a", "cannot stand in a host"),
            ("https://{recipient}.example/", "", "is empty"),
            ("https://{recipient}.other/", "ana", "sink.http.hosts does not allow"),
            ("https://t.example/{recipient}", "..", "cannot stand in a path"),
            ("https://t.example/{recipient}", "a/../b", "cannot stand in a path"),
            ("https://t.example/{recipient}", "a//b", "cannot stand in a path"),
            ("https://t.example/{recipient}", ".", "cannot stand in a path"),
        ])
    func badRecords(address: String, recipient: String, reason: String) throws {
        let stage = TimelineStage()
        stage.append("good", 1, recipient: "ana")
        stage.append("bad", 1, recipient: recipient)
        stage.append("better", 1, recipient: "ben")
        let isAllowed = !address.contains(".other")
        let summary = try stage.run(address, hosts: ["*.example"])
        #expect(summary.deadLetters == (isAllowed ? 1 : 3) && summary.delivered == (isAllowed ? 2 : 0))
        let told = stage.deadLetters.filter { $0.hasPrefix("configuration bad, field recipient: ") }
        #expect(told.count == 1 && told[0].contains(reason), "\(told)")
        #expect(stage.position == 3)
    }
}
