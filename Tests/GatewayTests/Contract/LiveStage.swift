import Foundation
import HTTPServer
import Simulation
import Synchronization

@testable import Gateway

/// The routes of a stage on a port of loopback. A thread lets the views read what is written, until it is closed.
final class LiveStage: Sendable {
    let stage: GatewayStage
    let server: HTTPServer
    private let isEnding = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ stage: GatewayStage) throws {
        self.stage = stage
        let router = stage.router
        var configuration = HTTPServerConfiguration()
        configuration.refusal = { Problem($0).response }
        server = try HTTPServer(configuration) { router.respond($0) }
        Thread { [self] in read() }.start()
    }

    private func read() {
        while !isEnding.load(ordering: .sequentiallyConsistent) {
            // A record that cannot be read is counted by the views, and stays where it is.
            try? stage.pump()
            stage.context.waiters.tick(now: stage.clock.now)
            Thread.sleep(forTimeInterval: 0.02)
            stage.clock.topics.advance(by: .milliseconds(20))
        }
        ended.signal()
    }

    func close() {
        server.shutdown(grace: .zero)
        isEnding.store(true, ordering: .sequentiallyConsistent)
        ended.wait()
    }
}
