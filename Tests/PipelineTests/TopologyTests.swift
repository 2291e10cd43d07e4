import Foundation
import Pipeline
import StreamCore
import TestSupport
import Testing

/// The topology as it draws itself.
@Suite("The topology of widgets")
struct TopologyTests {
    private let topology = Topology.widgets(PipelineSettings())

    @Test("its drawing shows what each node reads, sends and writes, as DESIGN.md has it")
    func drawing() throws {
        let drawing = topology.description
        #expect(drawing.split(separator: "\n").count == 14)
        #expect(drawing.contains("vehicle.telemetry ") && drawing.contains("──► timeline.reloads"))
        let design = try String(contentsOf: PackageRoot.url.appending(path: "DESIGN.md"), encoding: .utf8)
        #expect(design.contains(drawing), "DESIGN.md does not have this drawing:\n\(drawing)")
    }

    @Test("numbers in state stay what they are")
    func numbers() {
        #expect(topology.nodes.map(\.name) == ["vehicles", "calendars", "configurations", "reloads"])
        let stores = topology.nodes.flatMap { $0.make().stores.map(\.id) }.sorted()
        #expect(stores == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    }
}
