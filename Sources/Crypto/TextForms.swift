internal import COpenSSL

extension [UInt8] {
    /// The bytes as text: two small hexadecimal digits for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes in the URL-safe alphabet of base64, without padding (RFC 4648 section 5, RFC 7515 section 2).
    package var base64URL: String {
        // OpenSSL ends the text with a zero byte.
        var text = [UInt8](repeating: 0, count: (count + 2) / 3 * 4 + 1)
        let length = EVP_EncodeBlock(&text, self, Int32(count))
        let encoded = text.prefix(Int(length)).compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
