import Producers
import Testing
import Timelines

@Suite("Replays of recorded telemetry")
struct TelemetryReplayTests {
    private let buses = """
        vehicle_id,timestamp,speed,route_id,trip_id,latitude,longitude,trip_headsign
        2228,2016-11-24T00:00:51-06:00,12.96416,1,1669531,30.20585,-97.774315,1-Metric/South Congress-SB
        8945,2016-11-24T05:17:17-06:00,0.0,497,1676925,30.257826,-97.70823,
        2228,2016-11-23T23:56:00-06:00,1.34112,1,1669531,30.190725,-97.77128,"a ""quoted"", headsign"

        """

    @Test("buses: speed becomes km/h, the offset counts, rows come as they lie")
    func capmetrics() throws {
        let inputs = try Inputs()
        let source = TelemetryReplay(files: [try inputs.file("a.csv", buses)], format: .capmetrics)
        let records = try source.records()
        #expect(records.map(\.keyText) == ["2228", "8945", "2228"])
        #expect(
            records.map(\.valueText) == [
                #"{"vehicleId":"2228","observedAt":"2016-11-24T06:00:51Z","speed":46.670976,"latitude":30.20585,"#
                    + #""longitude":-97.774315}"#,
                #"{"vehicleId":"8945","observedAt":"2016-11-24T11:17:17Z","speed":0,"latitude":30.257826,"#
                    + #""longitude":-97.70823}"#,
                #"{"vehicleId":"2228","observedAt":"2016-11-24T05:56:00Z","speed":4.828032,"latitude":30.190725,"#
                    + #""longitude":-97.77128}"#,
            ])
        #expect(records[0].due == Instant(rfc3339: "2016-11-24T06:00:51Z"))
        #expect(source.fractionDone == 1)
    }

    @Test("a byte order mark, carriage returns, columns in another order and a missing last line end do no harm")
    func dialects() throws {
        let inputs = try Inputs()
        let text = "\u{feff}timestamp,speed,latitude,longitude,extra,vehicle_id\r\n\r\n2016-11-24T00:00:00Z,1,,,x,7"
        let source = TelemetryReplay(files: [try inputs.file("a.csv", text)], format: .capmetrics)
        let expected = #"{"vehicleId":"7","observedAt":"2016-11-24T00:00:00Z","speed":3.6}"#
        #expect(try source.records().map(\.valueText) == [expected])
    }

    @Test(
        "a row that cannot be read names its file, line and column",
        arguments: [
            ("7,2016-11-24 00:00:51,1,1,1,30,-97,", "timestamp"), (",2016-11-24T00:00:51Z,1,1,1,30,-97,", "vehicle_id"),
            ("7,2016-11-24T00:00:51Z,fast,1,1,30,-97,", "speed"), ("7,2016-11-24T00:00:51Z,1,1,1,95,-97,", "latitude"),
            ("7,2016-11-24T00:00:51Z,1,1,1,30,nan,", "longitude"), ("7,2016-11-24T00:00:51Z,1", "3 fields"),
            ("7,2016-11-24T00:00:51Z,1,1,1,30,-97,\"x", "quoted"),
        ])
    func badRows(row: String, names: String) throws {
        let inputs = try Inputs()
        let file = try inputs.file("bad.csv", buses + row)
        let source = TelemetryReplay(files: [file], format: .capmetrics)
        #expect(try source.records(3).count == 3)
        let problem = #expect(throws: InputProblem.self) { try source.next() }
        #expect(problem?.description.hasPrefix("\(file):5: ") == true)
        #expect(problem?.reason.contains(names) == true, "\(problem?.reason ?? "")")
    }

    @Test("a file that is missing, empty or without the columns is named")
    func badFiles() throws {
        let inputs = try Inputs()
        for (file, reason) in [
            ("/nowhere/a.csv", "No such file"), (try inputs.file("empty.csv", ""), "empty"),
            (try inputs.file("b.csv", "vehicle_id,timestamp\n"), "speed, latitude, longitude"),
        ] {
            let problem = #expect(throws: InputProblem.self) {
                try TelemetryReplay(files: [file], format: .capmetrics).next()
            }
            #expect(problem?.file == file)
            #expect(problem?.reason.contains(reason) == true)
        }
    }

    private let cars = """
        DRIVER;LONG;LAT;DAY;DAY_CORRIGIDO;03:00:00;TRIP;ID;PR;H;M;S;SPD_KMH;HEADING;VALID_TIME;CIDADE;BAIRRO;NOME_RUA
        A;-49,23446;-25,451837;26/8/2019;26/8/2019;22:17:27;5;A05;19:17:27;;;;0;0;Yes;Curitiba;JARDIM DAS AMÉRICAS;NPI
        A;-49,23446;-25,451837;27/8/2019;26/8/2019;00:59:59;5;A05;21:59:59;0;0;1;0,1609;249,7;No;NPI;NPI;AV, VISC, X
        A;-49,2;;29/8/2019;29/8/2019;10:42:42;12;A12;07:42:42;;;;42,5;;Yes;NPI;NPI;NPI

        """

    @Test("cars: local time at UTC−3, decimal commas, addresses where they are real, trips are ignition cycles")
    func ndsbr() throws {
        let inputs = try Inputs()
        let source = TelemetryReplay(files: [try inputs.file("a.csv", cars)], format: .ndsbr)
        let position = #""latitude":-25.451837,"longitude":-49.23446,"heading""#
        #expect(
            try source.records().map(\.valueText) == [
                #"{"vehicleId":"A","observedAt":"2019-08-26T22:17:27Z","ignition":true,"speed":0,\#(position):0,"#
                    + #""address":"JARDIM DAS AMÉRICAS, Curitiba"}"#,
                #"{"vehicleId":"A","observedAt":"2019-08-27T00:59:59Z","ignition":true,"speed":0.1609,"#
                    + #"\#(position):249.7,"address":"AV. VISC. X"}"#,
                #"{"vehicleId":"A","observedAt":"2019-08-27T01:00:00Z","ignition":false,"speed":0,"#
                    + #"\#(position):249.7,"address":"AV. VISC. X"}"#,
                #"{"vehicleId":"A","observedAt":"2019-08-29T10:42:42Z","ignition":true,"speed":42.5}"#,
                #"{"vehicleId":"A","observedAt":"2019-08-29T10:42:43Z","ignition":false,"speed":0}"#,
            ])
        #expect(try source.next() == nil)
    }

    @Test("cars: a date or time that does not exist names its line", arguments: ["31/6/2019;x", "26/8/2019;24:00:00"])
    func ndsbrDates(parts: String) throws {
        let inputs = try Inputs()
        let (day, time) = (parts.split(separator: ";")[0], parts.split(separator: ";")[1])
        let row = "A;1;1;\(day);\(day);x;5;A05;\(time);;;;0;0;Yes;NPI;NPI;NPI"
        let source = TelemetryReplay(
            files: [try inputs.file("a.csv", cars.prefix { $0 != "\n" } + "\n" + row)], format: .ndsbr)
        let problem = #expect(throws: InputProblem.self) { try source.next() }
        #expect(problem?.line == 2)
    }

    @Test("the recorded day of buses has 24,490 rows, the last of them as its file says")
    func recordedBuses() throws {
        guard let file = RecordedData.file("telemetry/capmetrics/2016-11-24.csv.gz") else { return }
        let records = try TelemetryReplay(files: [file], format: .capmetrics).records()
        #expect(records.count == 24_490)
        #expect(records.first?.due == Instant(rfc3339: "2016-11-24T06:00:51Z"))
        #expect(records.allSatisfy { $0.value != nil && $0.due != nil })
    }

    @Test("the recorded cars have 18,014 rows and nine trips")
    func recordedCars() throws {
        let names = ["driver_A.csv", "driver_B.csv.gz", "driver_C.csv"]
        let files = names.compactMap { RecordedData.file("telemetry/ndsbr/\($0)") }
        guard files.count == names.count else { return }
        let records = try TelemetryReplay(files: files, format: .ndsbr).records()
        #expect(records.count == 18_014 + 9)
        #expect(records.count { $0.valueText?.contains(#""ignition":false"#) == true } == 9)
        #expect(Set(records.map(\.keyText)) == ["A", "B", "C"])
    }
}
