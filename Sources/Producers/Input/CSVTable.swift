/// The rows of a CSV file with a header line (RFC 4180, but for line ends inside quotes). Columns go by name, in any
/// order; columns that nobody asks for are ignored.
final class CSVTable {
    private let lines: LineReader
    private let separator: UInt8
    private let columns: [String: Int]
    private let count: Int

    /// - Parameter required: columns that must be there.
    /// - Throws: where the file cannot be read, is empty, or lacks a column.
    init(file: String, separator: UInt8, required: [String]) throws(InputProblem) {
        lines = try LineReader(file: file)
        self.separator = separator
        guard let header = try lines.next() else {
            throw InputProblem(file: file, line: nil, reason: "the file is empty; a header line is missing")
        }
        let names = try Self.fields(of: header, separator: separator, in: lines)
        var columns: [String: Int] = [:]
        for (index, name) in names.enumerated() where columns[name] == nil { columns[name] = index }
        let missing = required.filter { columns[$0] == nil }
        guard missing.isEmpty else {
            throw lines.problem("the header has no column \(missing.joined(separator: ", "))")
        }
        self.columns = columns
        count = names.count
    }

    var file: String { lines.file }
    var fractionDone: Double? { lines.fractionDone }

    /// The next row that is not blank; `nil` after the last one.
    func next() throws(InputProblem) -> CSVRow? {
        while let line = try lines.next() {
            if line.isEmpty { continue }
            let fields = try Self.fields(of: line, separator: separator, in: lines)
            guard fields.count == count else {
                throw lines.problem("the row has \(fields.count) fields where the header has \(count)")
            }
            return CSVRow(file: file, line: lines.number, fields: fields, columns: columns)
        }
        return nil
    }

    private static func fields(
        of line: ArraySlice<UInt8>, separator: UInt8, in lines: LineReader
    ) throws(InputProblem) -> [String] {
        let quote = UInt8(ascii: "\"")
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var index = line.startIndex
        func finish() throws(InputProblem) {
            guard let text = String(validating: field, as: UTF8.self) else { throw lines.problem("not UTF-8 text") }
            fields.append(text)
            field.removeAll(keepingCapacity: true)
        }
        while index < line.endIndex {
            let byte = line[index]
            let next = index + 1 < line.endIndex ? line[index + 1] : nil
            if isQuoted && byte == quote && next == quote {
                field.append(quote)
                index += 1
            } else if byte == quote && (isQuoted || field.isEmpty) {
                isQuoted.toggle()
            } else if byte == separator && !isQuoted {
                try finish()
            } else {
                field.append(byte)
            }
            index += 1
        }
        guard !isQuoted else { throw lines.problem("a quoted field is not closed") }
        try finish()
        return fields
    }
}

/// One row, with what an error needs to name it.
struct CSVRow {
    var file: String
    var line: Int
    var fields: [String]
    var columns: [String: Int]

    /// The text of a column that the table requires.
    subscript(column: String) -> String {
        guard let index = columns[column] else { preconditionFailure("column \(column) was not required") }
        return fields[index]
    }

    /// A number in a range; `nil` if the field is empty.
    func number(
        _ column: String, in range: ClosedRange<Double>, decimalComma: Bool = false
    ) throws(InputProblem) -> Double? {
        let text = self[column]
        guard !text.isEmpty else { return nil }
        let plain = decimalComma ? String(text.map { $0 == "," ? "." : $0 }) : text
        guard let number = Double(plain), range.contains(number) else {
            throw problem("\(column) is \"\(text)\", not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func problem(_ reason: String) -> InputProblem {
        InputProblem(file: file, line: line, reason: reason)
    }
}
