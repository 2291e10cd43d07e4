import CRdKafka
import Testing

@Suite("Sleep of librdkafka's main thread")
struct SleepTests {
    /// That librdkafka's own function is behind it is shown by the linker: otherwise the program would not link.
    @Test(
        "whole milliseconds, never less than what is left",
        arguments: [(0, 0), (1, 1000), (999, 1000), (1000, 1000), (1001, 2000), (1_000_000, 1_000_000)])
    func roundsUp(left: Int64, sleep: Int64) {
        #expect(crdkafka_sleep(left) == sleep)
    }
}
