import Crypto
import Messages

/// The name of a configuration's file, or of a recipient's folder. Every id has one, no two ids share one, none of them
/// is hidden or leaves the directory.
///
/// ASCII letters, digits, `-`, `_` and `.` (not as the first) stand for themselves, any other byte is `%` and two small
/// hexadecimal digits. Where the file system takes `Car` and `car` for the same, capitals are escaped, too, so that
/// names differ in more than case. The empty id is `%`. What would be longer than 200 bytes is cut to 100 and followed
/// by `~` and the SHA-256 of the id.
package enum TimelineFileName {
    /// - Parameters:
    ///   - suffix: the end of the name, the same for all of a kind.
    ///   - keepsCapitals: the directory tells `Car` from `car`.
    package static func of(_ id: String, suffix: String = ".json", keepsCapitals: Bool) -> String {
        let encoded = id.isEmpty ? "%" : encode(id, keepsCapitals)
        guard encoded.utf8.count > lengthMax else { return encoded + suffix }
        let hash = SHA256.hash(Array(id.utf8)).hexadecimal
        return encoded.prefix(prefixLength) + String(hashMark) + hash + suffix
    }

    /// The id behind a file's name. An id's two names, with capitals and without, differ only if it has capitals. A
    /// name of the one form is never another id's name of the other form, for `%` is escaped in both.
    enum Reading: Hashable {
        /// The id itself, read from either form.
        case id(String)
        /// An id that is too long for a name: only the file's content says which.
        case hashed
        /// Somebody else's name.
        case foreign
    }

    static func read(_ name: String, suffix: String) -> Reading {
        guard name.hasSuffix(suffix), !name.hasPrefix(".") else { return .foreign }
        let encoded = String(name.dropLast(suffix.count))
        if encoded.contains(hashMark) { return .hashed }
        guard let id = encoded == "%" ? "" : encoded.percentDecoded else { return .foreign }
        return isName(name, of: id, suffix: suffix) ? .id(id) : .foreign
    }

    /// True if the name is the id's in either form.
    static func isName(_ name: String, of id: String, suffix: String) -> Bool {
        [true, false].contains { name == of(id, suffix: suffix, keepsCapitals: $0) }
    }

    private static let hashMark: Character = "~"
    private static let lengthMax = 200
    private static let prefixLength = 100

    private static func encode(_ id: String, _ keepsCapitals: Bool) -> String {
        var bytes: [UInt8] = []
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                bytes.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z") where keepsCapitals: bytes.append(byte)
            case UInt8(ascii: ".") where !bytes.isEmpty: bytes.append(byte)
            default: bytes.append(contentsOf: "%\([byte].hexadecimal)".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
