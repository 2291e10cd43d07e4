import Sinks

/// Why a sink ended although nobody had asked for that.
struct SinkFailure: Error {
    var command: CommandFailure
    /// True if the sink is not to begin again in this process: it would end in the same way, or end the sink that has
    /// taken its place.
    var isFinal: Bool

    init(_ command: CommandFailure, isFinal: Bool) {
        self.command = command
        self.isFinal = isFinal
    }

    /// - Parameters:
    ///   - sink: the name of the sink; `nil` if it has none.
    ///   - error: what ended its run.
    init(of sink: String?, _ error: any Error) {
        let name = sink.map { " '\($0)'" } ?? ""
        let isOfSettings = (error as? SinkRunError)?.isOfSettings ?? false
        command = CommandFailure(isOfSettings ? .usage : .software, "the sink\(name) cannot go on: \(error)")
        isFinal = (error as? any SinkRunFailure)?.isFinal ?? false
    }
}
