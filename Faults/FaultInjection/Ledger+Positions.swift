package import Foundation

/// A reader of each generation's agenda, who moves on with each wave, on two devices in turn, and marks what was read.
extension Ledger {
    private func reader(_ generation: Int) -> String { "reader-\(agenda(generation))" }

    private static func device(_ wave: Int) -> String { wave % 2 == 0 ? "phone" : "watch" }

    func position(wave: Int, of generation: Int, at now: Int64) -> String {
        #"{"readerId":"\#(reader(generation))","configurationId":"\#(agenda(generation))","#
            + #""deviceId":"\#(Self.device(wave))","entryId":"wave-\#(wave)","observedAt":\#(now),"#
            + #""readEntries":[{"entryId":"wave-\#(wave)","at":\#(now)}]}"#
    }

    /// The faults of the last merged positions of so many complete generations; a reader without one counts, too.
    ///
    /// - Parameter merged: the last value of each key, as JSON.
    package func positionFaults(generations: Int, merged: [String: Data]) -> [String] {
        (0..<generations).compactMap { generation in
            let key = "\(reader(generation))/\(agenda(generation))"
            guard let value = merged[key],
                let record = try? JSONSerialization.jsonObject(with: value) as? [String: Any]
            else { return "\(key) has no merged position" }
            let places = (record["devices"] as? [[String: Any]] ?? []).map { device in
                "\(device["deviceId"] ?? "?") at \(Self.entry(device["position"]))"
            }
            let read = (record["readEntries"] as? [[String: Any]] ?? []).map { $0["entryId"] as? String ?? "?" }
            let shown = Self.text(newest: Self.entry(record["position"]), places: places, read: read.sorted())
            let waves = 0..<Self.waves
            let wanted = Self.text(
                newest: "wave-\(Self.waves - 1)",
                places: waves.suffix(2).map { "\(Self.device($0)) at wave-\($0)" }.sorted(),
                read: waves.map { "wave-\($0)" })
            return shown == wanted ? nil : "\(key) is \(shown) instead of \(wanted)"
        }
    }

    private static func entry(_ snapshot: Any?) -> String {
        (snapshot as? [String: Any])?["entryId"] as? String ?? "nowhere"
    }

    private static func text(newest: String, places: [String], read: [String]) -> String {
        "\(newest), \(places.joined(separator: ", ")), \(read.joined(separator: " ")) read"
    }
}
