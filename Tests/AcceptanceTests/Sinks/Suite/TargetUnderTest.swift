import Foundation

/// What a target may have to be set up for before a sink runs.
enum TargetFault {
    case slow, full
}

/// A target of timelines that lives for one test. What it holds is read by its own tools, and never by the program.
protocol TargetUnderTest: AnyObject {
    var guarantee: SinkGuarantee { get }

    /// What `--to` names.
    var address: String { get }

    /// Further words of the sink.
    var options: [String] { get }

    /// Further variables of the sink.
    var environment: [String: String] { get }

    /// What the sink must never tell.
    var secrets: [String] { get }

    /// What starts the program where the target can be reached; asked anew for each start.
    func launcher() throws -> [String]

    /// This fault comes to the sink that starts next.
    func prepare(for fault: TargetFault) async throws

    /// A number that changes whenever something was written.
    func progress() async throws -> Int

    /// What is there now, by configuration.
    func contents() async throws -> [String: Data]

    /// What a reader is to see of a timeline.
    func shown(_ timeline: Data) throws -> Data

    /// The records whose writing the target has noted by itself, each as often as it was written.
    func writtenRecords() async throws -> [String]

    /// Takes the target away in the middle of whatever it does.
    func takeAway() async throws

    func bringBack() async throws

    /// It has its connections, and answers nothing.
    func stall() async throws

    func goOn() async throws

    /// From now on it says of everything that it is not there, as if nothing were deployed.
    func deny() async throws

    func admit() async throws

    /// Leaves no room for what is written.
    func fill() async throws

    func makeRoom() async throws

    /// An older timeline comes next: what came before says nothing of the order.
    func forgetOrder()

    /// Compares what else the target holds with the timelines that it has.
    func examine() async throws

    func close() async throws
}

extension TargetUnderTest {
    var options: [String] { [] }
    var environment: [String: String] { [:] }
    var secrets: [String] { [] }
    func launcher() throws -> [String] { [] }
    func prepare(for fault: TargetFault) async throws {}
    func shown(_ timeline: Data) throws -> Data { timeline }
    func writtenRecords() async throws -> [String] { [] }
    func takeAway() async throws {}
    func bringBack() async throws {}
    func stall() async throws {}
    func goOn() async throws {}
    func deny() async throws {}
    func admit() async throws {}
    func fill() async throws {}
    func makeRoom() async throws {}
    func forgetOrder() {}
    func examine() async throws {}
    func close() async throws {}
}
