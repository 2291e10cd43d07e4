import Foundation
import TestSupport
import Testing

@testable import StreamRuntime

@Suite("The life of a stream thread")
struct ThreadStateTests {
    @Test("its drawing is made of the table of transitions, as DESIGN.md has it")
    func drawing() throws {
        let drawing = ThreadState.drawing
        let design = try String(contentsOf: PackageRoot.url.appending(path: "DESIGN.md"), encoding: .utf8)
        #expect(design.contains(drawing), "DESIGN.md does not have this drawing:\n\(drawing)")
    }

    @Test("every state but the last can be left, every state but the first be reached, and the end is the end")
    func reachable() {
        for name in ThreadState.Name.allCases {
            #expect(ThreadState.transitions.contains { $0.from == name } == (name != .ended), "\(name)")
            #expect(ThreadState.transitions.contains { $0.to == name } == (name != .initialising), "\(name)")
            if name != .ended { #expect(ThreadState.allows(name, .ended), "\(name) cannot end") }
            #expect(!ThreadState.allows(name, name))
        }
        #expect(!ThreadState.allows(.inDoubt, .ready), "an unknown outcome is never success")
    }

    @Test("a step that the table does not have ends the program")
    func refused() async {
        await #expect(processExitsWith: .failure) {
            let cluster = SimulatedApplication()
            let thread = try StreamThread(
                name: "a", cluster: cluster.cluster, topology: cluster.topology, settings: cluster.settings,
                clock: SteppingClock(cluster.clock, tick: .zero), partitions: 2, sourcePartitions: [2])
            thread.enter(.open)
        }
    }
}
