import Messages
import Timelines

/// Drives of private cars in Brazil at one row a second: semicolons, decimal commas, `NPI` for what is not known.
///
/// The instant is `DAY_CORRIGIDO` and `PR`, the local date and time at UTC−3; the driver is the vehicle. A trip is an
/// ignition cycle: its rows have the ignition on, and a second after its last row a record of its own turns it off.
/// Rows with `VALID_TIME=No`, which the study left out of its statistics, are there: their clocks run as the others'.
final class NDSBRReplay: RecordSource {
    private let table: CSVTable
    /// The record that ends the trip of the row before.
    private var tripEnd: (trip: String, record: TelemetryMessage)?
    private var pending: SourceRecord?
    private var isAtEnd = false

    init(file: String) throws(InputProblem) {
        table = try CSVTable(
            file: file, separator: UInt8(ascii: ";"),
            required: [
                "DRIVER", "ID", "DAY_CORRIGIDO", "PR", "LAT", "LONG", "SPD_KMH", "HEADING", "NOME_RUA", "BAIRRO",
                "CIDADE",
            ])
    }

    var fractionDone: Double? { table.fractionDone }

    func next() throws(InputProblem) -> SourceRecord? {
        if let record = pending {
            pending = nil
            return record
        }
        guard !isAtEnd, let row = try table.next() else {
            isAtEnd = true
            defer { tripEnd = nil }
            return tripEnd.map { SourceRecord($0.record, due: $0.record.observedAt) }
        }
        let message = try read(row)
        let record = SourceRecord(message, due: message.observedAt)
        defer { tripEnd = (row["ID"], ignitionOff(after: message)) }
        guard let tripEnd, tripEnd.trip != row["ID"] else { return record }
        pending = record
        return SourceRecord(tripEnd.record, due: tripEnd.record.observedAt)
    }

    private func read(_ row: CSVRow) throws(InputProblem) -> TelemetryMessage {
        guard !row["DRIVER"].isEmpty else { throw row.problem("DRIVER is empty") }
        var message = TelemetryMessage(vehicleId: row["DRIVER"], observedAt: try instant(row))
        message.ignition = true
        message.speed = try row.number("SPD_KMH", in: 0...1000, decimalComma: true)
        message.heading = try row.number("HEADING", in: 0...360, decimalComma: true)
        let latitude = try row.number("LAT", in: -90...90, decimalComma: true)
        let longitude = try row.number("LONG", in: -180...180, decimalComma: true)
        // Half a position is none.
        if let latitude, let longitude { (message.latitude, message.longitude) = (latitude, longitude) }
        message.address = address(row)
        return message
    }

    private func ignitionOff(after last: TelemetryMessage) -> TelemetryMessage {
        var message = last
        message.observedAt = last.observedAt + .seconds(1)
        message.ignition = false
        message.speed = 0
        return message
    }

    /// `26/8/2019` and `19:17:27` at UTC−3; the city had no daylight saving in that year.
    private func instant(_ row: CSVRow) throws(InputProblem) -> Instant {
        let day = row["DAY_CORRIGIDO"].split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        let time = row["PR"].split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard day.count == 3, let dayOfMonth = day[0], let month = day[1], let year = day[2],
            case let date = LocalDate(year: year, month: month, day: dayOfMonth), date.isValid
        else { throw row.problem("DAY_CORRIGIDO is \"\(row["DAY_CORRIGIDO"])\", not a day/month/year") }
        guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2],
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
        else { throw row.problem("PR is \"\(row["PR"])\", not a time of day") }
        let seconds = ((date.dayNumber * 24 + hour + 3) * 60 + minute) * 60 + second
        return Instant(milliseconds: Int64(seconds) * 1000)
    }

    private func address(_ row: CSVRow) -> String? {
        // The recording writes every point as a comma: "AV, VICENTE MACHADO" is "AV. VICENTE MACHADO".
        let street = row["NOME_RUA"].split(separator: ",").joined(separator: ".")
        let parts = [street, row["BAIRRO"], row["CIDADE"]].filter { !$0.isEmpty && $0 != "NPI" }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
