import CRdKafka
import Glibc

/// Which properties librdkafka knows, and which kind of instance each is for.
///
/// librdkafka accepts every property for every instance and warns of those that do nothing there. Its own table tells
/// them apart, whatever the version.
enum PropertyCatalog {
    enum Scope {
        case consumers
        case producers
        case both

        func applies(to role: ClientRole) -> Bool {
            switch (self, role) {
            case (.both, _), (.consumers, .consumer), (.consumers, .admin): true
            case (.producers, .transactionalProducer), (.producers, .plainProducer): true
            default: false
            }
        }
    }

    static let known: [String: Scope] = {
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let stream = open_memstream(&text, &size) else { return [:] }
        rd_kafka_conf_properties_show(stream)
        fclose(stream)
        defer { free(text) }
        return text.map { parse(String(cString: $0)) } ?? [:]
    }()

    /// Rows are `name | C/P | range | default | …`, where the second is `C`, `P` or `*`.
    private static func parse(_ table: String) -> [String: Scope] {
        var scopes: [String: Scope] = [:]
        for line in table.split(separator: "\n") {
            let columns = line.split(separator: "|", maxSplits: 2)
            guard columns.count == 3 else { continue }
            let name = String(columns[0].filter { $0 != " " })
            switch columns[1].filter({ $0 != " " }) {
            case "C": scopes[name] = .consumers
            case "P": scopes[name] = .producers
            case "*": scopes[name] = .both
            default: continue
            }
        }
        return scopes
    }
}
