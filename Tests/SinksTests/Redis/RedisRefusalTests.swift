import Redis
import Sinks
import TestSupport
import Testing

@Suite("What the Redis sink refuses at its start")
struct RedisRefusalTests {
    private func refusal(_ redis: RedisProcess, credentials: String = "") -> String {
        var text = "nothing"
        #expect {
            try redis.sink(credentials: credentials).positions(of: "timelines")
        } throws: { error in
            text = "\(error)"
            return !error.isUnavailable
        }
        return text
    }

    @Test("a wrong password, none, and a user without rights are refused, and no password is shown")
    func credentials() throws {
        let redis = try RedisProcess(["--save", "", "--requirepass", "right-secret"])
        for wrong in ["", ":wrong-secret@", "ana:wrong-secret@"] {
            let text = refusal(redis, credentials: wrong)
            #expect(text.contains("NOAUTH") || text.contains("WRONGPASS"), "\(text)")
            #expect(text.contains("REDISCLI_AUTH") && !text.contains("secret"), "\(text)")
        }
        #expect(try redis.sink(credentials: ":right%2Dsecret@").positions(of: "timelines").isEmpty)
        let cli = ["-a", "right-secret", "--no-auth-warning", "ACL", "SETUSER"]
        try redis.cli(cli + ["reader", "on", ">reader-secret", "~tideline:*", "+@read", "+@connection"])
        #expect(refusal(redis, credentials: "reader:reader-secret@").contains("NOPERM"))
        try redis.cli(
            cli + [
                "writer", "on", ">writer-secret", "~tideline:*", "+@read", "+@write", "+@transaction", "+@connection",
                "+info", "+config|get",
            ])
        let writer = try redis.sink(credentials: "writer:writer-secret@")
        let record = TimelineSinkContract.record("a", TimelineSinkContract.timeline("a", revision: 1), offset: 0)
        #expect(try writer.write(record) == .written)
        try writer.keep([:], of: "timelines")
        try writer.renew()
    }

    @Test("a Redis that would lose timelines by itself, one of a cluster, and a database that is not there")
    func servers() throws {
        let evicting = try RedisProcess(["--save", "", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"])
        #expect(refusal(evicting).contains("set maxmemory-policy noeviction"))
        let node = try RedisProcess(["--save", "", "--cluster-enabled", "yes"])
        #expect(refusal(node).contains("without cluster-enabled"))
        let plain = try RedisProcess()
        #expect {
            try RedisSink(
                RedisAddress("redis://127.0.0.1:\(plain.port)/99"), owner: "x", now: { .zero }
            ).positions(of: "timelines")
        } throws: { "\($0)".contains("DB index is out of range") && !$0.isUnavailable }
    }

    @Test("a host that nobody knows is waited for like a port where nobody answers, and said in other words")
    func places() throws {
        for (address, isUnknown) in [("redis://no-such-host.invalid", true), ("redis://127.0.0.1:1", false)] {
            #expect {
                try RedisSink(RedisAddress(address), owner: "x", now: { .zero }).positions(of: "timelines")
            } throws: {
                // Where there is no name server, nobody can say whether there is such a host.
                let isTold = "\($0)".contains("the name of the host cannot be found")
                return $0.isUnavailable && (isTold == isUnknown || "\($0)".contains("Temporary failure"))
            }
        }
    }

    @Test("addresses are read in all their forms, and told without the password")
    func addresses() throws {
        let full = try RedisAddress("redis://ana:p%40ss:word@example.org:6380/3")
        #expect(full.host == "example.org" && full.port == 6380 && full.database == 3 && full.user == "ana")
        #expect(full.password == RedisPassword("p@ss:word"))
        #expect("\(full)" == "redis://example.org:6380/3" && String(reflecting: full) == "\(full)")
        var shown = ""
        dump(full, to: &shown)
        #expect(!shown.contains("p@ss"))
        for (text, told) in [
            ("h", "redis://h:6379"), ("h:1/0", "redis://h:1"), ("redis://[::1]:7", "redis://[::1]:7"),
            ("redis://:x@h/", "redis://h:6379"),
        ] {
            #expect(try RedisAddress(text).description == told)
        }
        for wrong in [
            "", "redis://", ":1", "h:", "h:0", "h:x", "h/x", "h/-1", "a:%zz@h", "rediss://h", "[::1", "a%f@h",
        ] {
            #expect(throws: RedisAddress.Problem.self, "\(wrong)") { try RedisAddress(wrong) }
        }
        #expect { try RedisAddress("redis://u:top@h:x") } throws: { !"\($0)".contains("top") }
    }
}
