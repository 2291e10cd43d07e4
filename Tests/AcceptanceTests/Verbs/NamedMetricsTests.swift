import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Dashboard and alerts beside what real runs serve.
    @Suite struct NamedMetricsTests {
        private static let configuration =
            #"{"configurationId": "a", "kind": "Board", "recipient": "ana", "strategy": "status", "vehicleId": "v1"}"#

        @Test("real runs of the verbs serve each metric that the dashboard and the alerts name, with its labels")
        func named() async throws {
            let application = try await Application("named", partitions: 1)
            let folder = application.directory.appending(path: "out").path
            let verbs = [
                ["process", "--set", "memory.limit=4GiB"], ["sink", "--to", "files:\(folder)"],
                ["sink", "--reloads", "http://127.0.0.1:9/"],
                ["serve", "--listen", "127.0.0.1:0"], ["produce", "telemetry", "--fleet", "3", "--rate", "20"],
            ]
            var runners: [ProcessRunner] = []
            defer { for runner in runners { runner.kill() } }
            for words in verbs {
                runners.append(
                    try ProcessRunner(
                        TidelineExecutable.url, words + ["--metrics", "127.0.0.1:0"] + application.options,
                        environment: ["TIDELINE_WEBHOOK_SECRET": "whsec_dGlkZWxpbmUncyBjb21wb3NpdGlvbiBmb3IgdHJpYWxz"]))
            }
            var addresses: [String] = []
            for runner in runners { addresses.append(try await Monitored.address(of: runner)) }
            try await application.publish(configurations: Self.configuration)

            let files = try MonitoringFiles()
            let expressions = files.panels.map(\.expression) + files.alerts.map(\.expression)
            let names = Set(expressions.flatMap(MonitoringFiles.names))
            #expect(names.count > 50)
            var served = Served()
            // What librdkafka measures is renewed every ten seconds, and the lag is asked for every five.
            let isWhole = try await eventually(within: .seconds(60), every: .seconds(1)) {
                for address in addresses { served.add(try await Monitored.get("/metrics", at: address).body) }
                return names.isSubset(of: served.names)
            }
            #expect(isWhole, "no run serves \(names.subtracting(served.names).sorted())")
            for selection in expressions.flatMap(MonitoringFiles.selections) {
                let isServed = served.has(selection)
                #expect(isServed, "no run serves \(selection)")
            }
            for address in addresses { _ = try await Monitored.parse(Monitored.get("/metrics", at: address).body) }
            show("\(names.count) metrics of dashboard and alerts are served by \(verbs.count) runs")
        }

        /// The samples of several runs.
        private struct Served {
            private var series: Set<String> = []
            private(set) var names: Set<String> = []

            mutating func add(_ text: String) {
                for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                    guard let end = line.lastIndex(of: " ") else { continue }
                    series.insert(String(line[..<end]))
                    names.insert(String(line.prefix { $0 != "{" && $0 != " " }))
                }
            }

            func has(_ selection: (name: String, label: String, value: String)) -> Bool {
                let word = "\(selection.label)=\"\(selection.value)\""
                return series.contains { $0.hasPrefix(selection.name + "{") && $0.contains(word) }
            }
        }
    }
}
