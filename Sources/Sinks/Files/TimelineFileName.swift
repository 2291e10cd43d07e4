/// The name of a configuration's file. Every id has one, no two ids share one, none of them is hidden or leaves the
/// directory, and they differ on file systems that ignore case, too.
///
/// Small letters, digits, `-`, `_` and `.` (not as the first) stand for themselves, any other byte is `%` and two
/// small hexadecimal digits. The empty id is `%`. What would be longer than 200 bytes is cut to 100 and followed by
/// `~` and the SHA-256 of the id.
package enum TimelineFileName {
    package static func of(_ configurationId: String) -> String {
        let encoded = configurationId.isEmpty ? "%" : encode(configurationId)
        guard encoded.utf8.count > lengthMax else { return encoded + suffix }
        let hash = hexadecimal(SHA256.hash(Array(configurationId.utf8)))
        return encoded.prefix(prefixLength) + "~" + hash + suffix
    }

    static let suffix = ".json"
    private static let lengthMax = 200
    private static let prefixLength = 100

    private static func encode(_ id: String) -> String {
        var bytes: [UInt8] = []
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                bytes.append(byte)
            case UInt8(ascii: ".") where !bytes.isEmpty: bytes.append(byte)
            default: bytes.append(contentsOf: "%\(hexadecimal([byte]))".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
