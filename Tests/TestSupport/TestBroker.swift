package import Foundation

/// A Kafka broker that runs for tests, on loopback.
package struct TestBroker: Sendable {
    /// `HOST:PORT` for `bootstrap.servers`.
    package let bootstrap: String
    package let kind: Kind
    /// Where its data and its log are; nil for a broker that somebody else runs.
    package let directory: URL?

    /// Where a broker comes from. The raw values are those of Scripts/test-broker.
    package enum Kind: String, Sendable {
        /// Somebody else's, named by TIDELINE_TEST_BOOTSTRAP.
        case given
        case kafkaHome = "kafka-home"
        case kafka
        case docker
        case noida

        /// Whether `dedicated(properties:)` can set server properties.
        package var takesProperties: Bool { self != .noida }
    }

    // MARK: - Starting

    /// The one broker of this test process: started at the first call, ended with the process.
    ///
    /// TIDELINE_TEST_BOOTSTRAP names one that already runs; else Scripts/test-broker chooses. Prints which one it took.
    /// - Throws: `TestBrokerError` with what to install, where there is none.
    package static func shared() async throws -> TestBroker {
        try await sharedStart.value
    }

    /// Starts a broker for one test, with further server properties; it ends with `stop()`, or with the process.
    ///
    /// A test that shares it with nobody may kill it. TIDELINE_TEST_BOOTSTRAP does not count here.
    /// - Parameter directory: takes its data, in `data`, and its log; it is removed at the end. `nil` makes one.
    /// - Throws: `TestBrokerError` where none is found, or where the only kind here takes no properties.
    package static func dedicated(
        properties: [String: String] = [:], in directory: URL? = nil
    ) async throws -> TestBroker {
        try await onItsOwnThread { try launch(properties: properties, in: directory) }
    }

    private static let sharedStart = Task {
        if let bootstrap = ProcessInfo.processInfo.environment["TIDELINE_TEST_BOOTSTRAP"], !bootstrap.isEmpty {
            say("broker: \(bootstrap), named by TIDELINE_TEST_BOOTSTRAP")
            return TestBroker(bootstrap: bootstrap, kind: .given, directory: nil)
        }
        return try await onItsOwnThread { try launch(properties: [:]) }
    }

    private static func launch(properties: [String: String], in directory: URL? = nil) throws -> TestBroker {
        let found = try script(["find"]).split(separator: "\t", maxSplits: 1)
        guard let kind = found.first.flatMap({ Kind(rawValue: String($0)) }) else {
            throw TestBrokerError("Scripts/test-broker find printed \(found)")
        }
        guard properties.isEmpty || kind.takesProperties else {
            throw TestBrokerError("\(found[1]) takes no server properties; Apache Kafka or Docker would")
        }
        let settings = properties.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        // Between the choice of a port and its use somebody else may take it: a few tries.
        var failure: any Error = TestBrokerError("no port")
        for _ in 0..<3 {
            let directory = directory ?? TemporaryDirectory.makeLasting("broker")
            let port = try freePortPair()
            do {
                try endWithThisProcess(directory)
                _ = try script(["start", directory.path, String(port)] + settings)
                say("broker: \(found[1]) on 127.0.0.1:\(port)")
                return TestBroker(bootstrap: "127.0.0.1:\(port)", kind: kind, directory: directory)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    // MARK: - Ending

    /// Ends a dedicated broker in order; its data stays for `restart()`.
    package func stop() async throws {
        try await command("stop")
    }

    /// SIGKILL; its data stays for `restart()`.
    package func kill() async throws {
        try await command("kill")
    }

    /// Starts a stopped or killed broker again, on its port, with its data and settings.
    package func restart() async throws {
        try await command("restart")
    }

    /// SIGSTOP: it has its connections, and answers nothing until `resume()`.
    package func pause() async throws {
        try await command("pause")
    }

    package func resume() async throws {
        try await command("resume")
    }

    private func command(_ verb: String) async throws {
        guard let directory else {
            throw TestBrokerError("the broker of TIDELINE_TEST_BOOTSTRAP is not ours to \(verb)")
        }
        try await onItsOwnThread { _ = try script([verb, directory.path]) }
    }
}

/// Why there is no broker: a text for people, which says what to install.
package struct TestBrokerError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
