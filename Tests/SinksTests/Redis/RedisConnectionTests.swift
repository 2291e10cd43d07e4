import Redis
import TestSupport
import Testing

@Suite("A connection to a Redis")
struct RedisConnectionTests {
    @Test("sends each word as it is, whatever bytes it has, and takes the replies in the order of the commands")
    func words() throws {
        let redis = try RedisProcess()
        let connection = try RedisConnection(RedisAddress("redis://127.0.0.1:\(redis.port)"))
        let anyByte = Array(UInt8.min...UInt8.max)
        let long = [UInt8](repeating: 0x2A, count: 1 << 20)
        let words: [RedisWord] = [
            .bytes(anyByte + anyByte), .text("répondeur\r\n$1\r\n\0"), .integer(.min), .bytes([]), .text(""),
            .bytes(long), .integer(0),
        ]
        try connection.append(["RPUSH", "list"] + words)
        try connection.append(["LRANGE", "list", .integer(0), .integer(-1)])
        try connection.append(["DEL", "list"])
        #expect(connection.pending == 3)
        #expect(try connection.reply() == .integer(Int64(words.count)))
        let held: [RedisReply] = [
            .bytes(anyByte + anyByte), .bytes(Array("répondeur\r\n$1\r\n\0".utf8)),
            .bytes(Array("-9223372036854775808".utf8)), .bytes([]), .bytes([]), .bytes(long), .bytes(Array("0".utf8)),
        ]
        #expect(try connection.reply().list == held)
        #expect(try connection.reply() == .integer(1))
        #expect(connection.pending == 0)
    }
}
