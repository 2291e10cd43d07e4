import Foundation

/// Tells a record that the pipeline lost from one that never came to its topic, though its producer had the brokers'
/// acknowledgement of it.
enum InputCheck {
    /// The last records of complete generations that their topics lack.
    ///
    /// - Parameters:
    ///   - events, telemetry: the values of the two topics.
    static func missing(
        from ledger: Ledger, generations: Int, events: [Data], telemetry: [Data]
    ) -> [String] {
        let titles = strings("title", in: events)
        let addresses = strings("address", in: telemetry)
        var missing: [String] = []
        for generation in 0..<generations {
            let wanted = ledger.lastTitles(of: generation)
            missing += wanted.filter { !titles.contains($0) }.map { "calendar.events has no \"\($0)\"" }
            let address = ledger.lastAddress(of: generation)
            if !addresses.contains(address) { missing.append("vehicle.telemetry has no \"\(address)\"") }
        }
        return missing
    }

    private static func strings(_ field: String, in values: [Data]) -> Set<String> {
        Set(
            values.compactMap { value in
                let object = try? JSONSerialization.jsonObject(with: value) as? [String: Any]
                return object?[field] as? String
            })
    }
}
