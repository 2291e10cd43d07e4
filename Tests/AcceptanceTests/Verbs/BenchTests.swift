import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// `bench` as somebody meets it who measures.
    @Suite struct BenchTests {
        @Test(
            "what cannot be measured is refused with what is allowed, with status 64",
            arguments: [
                (["--rows", "A,K"], "letters from A to J"), (["--rows", ""], "letters from A to J"),
                (["--rounds", "0"], "from 1 to 100"), (["--rounds", "many"], "a whole number"),
                (["--scale", "0"], "above 0"), (["--scale", "-1"], "above 0"),
                (["--partitions", "0"], "from 1 to 10000"),
                (["--beside", "gopeer"], "NAME=COMMAND"), (["--beside", "floor=x"], "are taken"),
                (["--beside", "go=a", "--beside", "go=b"], "names a program twice"),
                (["--beside-running", "go=a"], "which '--beside' does not"), (["--step", "flor"], "floor"),
                (["--json", "/nowhere/figures.json"], "cannot write /nowhere/figures.json"),
            ])
        func refusals(words: [String], hint: String) async throws {
            let result = try await tideline(["bench"] + words)
            #expect(result.status == 64 && !result.isSignalled, "\(result.failure)")
            #expect(result.standardError.contains(hint), "\(result.failure)")
            #expect(result.standardOutput.isEmpty)
        }

        @Test("topics that exist are never written into")
        func existingTopics() async throws {
            let application = try await Application("bench-existing", partitions: 1)
            let result = try await tideline(["bench", "--scale", "0.001"] + application.options)
            #expect(result.status == 64, "\(result.failure)")
            #expect(result.standardError.contains("\(application.topic("timelines"))"), "\(result.failure)")
            #expect(try await application.records(of: "vehicle.telemetry").isEmpty)
        }

        @Test("rows A, D and J with a thousandth of the data give a table, JSON and no topics that stay")
        func small() async throws {
            let application = try await Application("bench", partitions: nil)
            let file = application.directory.appending(path: "figures.json")
            let result = try await application.run(
                "bench", "--rows", "A,D,J", "--rounds", "1", "--scale", "0.001", "--json", file.path, "--beside",
                "echo=echo records=3000 cpu_s=0.5 rss_peak=1000kB topic={prefix}{application} of {bootstrap}")
            let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
            let measured = report.lines.filter { $0.median != nil }
            for (row, quantity, subjects) in [
                ("A", "cpuSecondsPerMillion", ["tideline", "floor", "echo"]),
                ("A", "recordsPerSecond", ["tideline", "floor"]),
                ("A", "peakMegabytes", ["tideline", "floor", "echo"]),
                ("D", "p50Milliseconds", ["tideline", "bare transaction"]), ("D", "cpuSeconds", ["tideline"]),
                ("J", "cpuSecondsPerMillion", ["tideline", "without metrics"]),
            ] {
                for subject in subjects {
                    let line = measured.first { $0.row == row && $0.quantity == quantity && $0.of == subject }
                    #expect(line?.values.count == 1, "\(row) \(quantity) of \(subject)")
                }
            }
            let echo = try #require(measured.first { $0.of == "echo" })
            #expect(try abs(#require(echo.median) - 0.5 / 3000 * 1e6) < 0.001)
            #expect(result.standardOutput.contains("| A   | CPU-s per million records"), "\(result.failure)")
            #expect(result.standardError.contains("round 1 of 1, floor: A CPU-s per million records"))

            let again = try await application.run("topics", "--partitions", "1")
            #expect(again.standardOutput.split(separator: "\n").allSatisfy { $0.contains("created") })
            show("bench: \(measured.count) medians of rows A, D and J, and no topic of them stays")
        }

        /// What stands in the file of `--json`.
        private struct Report: Decodable {
            var lines: [Line]

            struct Line: Decodable {
                var row: String
                var quantity: String
                var of: String
                var values: [Double]
                var median: Double?
            }
        }
    }
}
