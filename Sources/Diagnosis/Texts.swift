import Times

extension BinaryInteger {
    /// The number in groups of three digits: `1,234,567`.
    package var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// The number with a noun that agrees with it: `1 record`, `2,000 records`.
    package func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

    /// A number of bytes: `900 B`, `12 kB`, `34 MB`.
    package var byteText: String {
        switch self {
        case ..<10_000: "\(grouped) B"
        case ..<10_000_000: "\((self / 1000).grouped) kB"
        default: "\((self / 1_000_000).grouped) MB"
        }
    }
}

extension ElapsedTime {
    /// The time in whole units: `250 ms`, `12 s`, `3 min`, `5 h`, `2 d`.
    var text: String {
        switch milliseconds {
        case ..<1000: "\(milliseconds) ms"
        case ..<120_000: "\(milliseconds / 1000) s"
        case ..<7_200_000: "\(milliseconds / 60_000) min"
        case ..<172_800_000: "\(milliseconds / 3_600_000) h"
        default: "\(milliseconds / 86_400_000) d"
        }
    }
}
