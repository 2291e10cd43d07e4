import Arguments
import Foundation
import Inspection
import Messages

/// How a verb that shows records writes: columns on a terminal, JSON elsewhere.
struct InspectOptions: ParsableArguments {
    @Flag(help: "JSON lines, also on a terminal.") var json = false
    @Flag(help: "Columns for people, also on a pipe.") var table = false

    func validate() throws(ValidationError) {
        if json && table { throw ValidationError("'--json' and '--table' cannot both be given.") }
    }

    var isJSON: Bool { json || (!table && isatty(STDOUT_FILENO) != 1) }

    /// Writes rows: a JSON object for each, or a table of some of their fields.
    ///
    /// - Parameter isReport: true for what was done, which is written to its end also when the program is to end.
    func write(_ rows: [InspectedRow], columns: [String], isReport: Bool = false) {
        guard isJSON else {
            _ = StandardOutput.write(RowTable(rows, columns: columns, style: .ofRows).lines)
            return
        }
        var json = JSONWriter()
        for row in rows {
            json.removeAll()
            row.write(to: &json)
            json.newline()
            guard json.withUnsafeBytes(StandardOutput.write), isReport || !Signals.isStopRequested else { return }
        }
    }
}

extension RowFilter.UnknownField {
    var failure: CommandFailure { CommandFailure(.usage, "--where: \(description)") }
}
