import CRdKafka
import Glibc

/// Which properties librdkafka knows, which kind of instance each is for, and what values it takes.
///
/// librdkafka accepts every property for every instance and warns of those that do nothing there. Its own table tells
/// them apart, whatever the version.
enum PropertyCatalog {
    struct Entry {
        var scope: Scope
        /// As librdkafka writes it, e.g. `0 .. 900000`; empty where anything goes.
        var range: String
    }

    enum Scope {
        case consumers
        case producers
        case both

        func applies(to role: ClientRole) -> Bool {
            switch (self, role) {
            case (.both, _), (.consumers, .consumer), (.consumers, .admin): true
            case (.producers, .transactionalProducer), (.producers, .plainProducer), (.producers, .reportingProducer),
                (.producers, .writeProbe):
                true
            default: false
            }
        }
    }

    static let known: [String: Entry] = {
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let stream = open_memstream(&text, &size) else { return [:] }
        rd_kafka_conf_properties_show(stream)
        fclose(stream)
        defer { free(text) }
        return text.map { parse(String(cString: $0)) } ?? [:]
    }()

    /// Rows are `name | C/P | range | default | …`, where the second is `C`, `P` or `*`.
    private static func parse(_ table: String) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        // As bytes: every start reads the table, and by characters that took 12 ms.
        for line in table.utf8.split(separator: UInt8(ascii: "\n")) {
            let cells = line.split(separator: UInt8(ascii: "|"), maxSplits: 3)
            guard cells.count == 4 else { continue }
            let columns = cells.prefix(3).map(trimmed)
            let scope: Scope? =
                switch columns[1] {
                case "C": .consumers
                case "P": .producers
                case "*": .both
                default: nil
                }
            if let scope { entries[columns[0]] = Entry(scope: scope, range: columns[2]) }
        }
        return entries
    }

    private static func trimmed(_ cell: Substring.UTF8View) -> String {
        let blank = UInt8(ascii: " ")
        var rest = cell.drop { $0 == blank }
        while rest.last == blank { rest.removeLast() }
        return String(Substring(rest))
    }
}
