import Settings
import Testing

@Suite("Sizes")
struct ByteSizeTests {
    @Test(
        "are numbers with a unit or without",
        arguments: [
            ("0", 0), ("67108864", 67_108_864), ("64MiB", 67_108_864), ("64 MiB", 67_108_864),
            ("1.5GiB", 1_610_612_736),
            ("500MB", 500_000_000), ("1kB", 1000), ("1KiB", 1024), ("2TiB", 2 << 40), ("7B", 7),
        ])
    func reads(text: String, bytes: Int) {
        #expect(ByteSize.read(text) == bytes)
    }

    @Test(
        "what is no size is none",
        arguments: ["", "MiB", "-1", "+1", "1.5", "1,5GiB", ".5GiB", "5.GiB", "64mb", "64 M", "1e3", "9999999999TiB"])
    func refuses(text: String) {
        #expect(ByteSize.read(text) == nil)
    }

    @Test("are written exactly in the largest unit, and rounded for people")
    func writes() {
        #expect(ByteSize.text(536_870_912) == "512MiB" && ByteSize.text(1 << 30) == "1GiB")
        #expect(ByteSize.text(1_610_612_736) == "1536MiB" && ByteSize.text(1001) == "1001" && ByteSize.text(0) == "0")
        #expect(ByteSize.rounded(430_243_840) == "410.3 MiB" && ByteSize.rounded(12) == "12 bytes")
    }
}
