import RecordLog
import Testing

@Suite("Murmur2")
struct Murmur2Tests {
    /// The figures of Kafka's own UtilsTest.
    @Test(
        "gives what Java's Utils.murmur2 gives",
        arguments: [
            ("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829), ("abc", 479_470_107),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
        ] as [(String, Int32)])
    func javaHashes(key: String, expected: Int32) {
        let hash = Array(key.utf8).withUnsafeBytes { Murmur2.hash($0) }
        #expect(Int32(bitPattern: hash) == expected)
    }

    @Test("a partition is never negative and below the count")
    func partitionRange() {
        for n in 0..<1000 {
            let partition = Murmur2.partition(of: "vehicle-\(n)", partitions: 7)
            #expect((0..<7).contains(partition))
        }
    }
}

@Suite("Failures in words")
struct LogErrorTextTests {
    @Test("the name stands behind the message, and once where the message ends with it")
    func name() {
        let plain = LogError(.unreachable, name: "_TRANSPORT", "no broker")
        #expect(plain.description == "no broker (_TRANSPORT)")
        let last = LogError(.unreachable, name: "_TRANSPORT", "the last answer was: \(plain)")
        #expect(last.description == "the last answer was: no broker (_TRANSPORT)")
        let other = LogError(.timedOut, name: "_TIMED_OUT", "the last answer was: \(plain)")
        #expect(other.description == "the last answer was: no broker (_TRANSPORT) (_TIMED_OUT)")
    }
}
