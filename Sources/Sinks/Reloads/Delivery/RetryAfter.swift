import HTTPClient
import Timelines

/// The header `Retry-After` (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// A day: what is longer is not believed.
    static let most = Duration.seconds(86_400)

    /// How long to wait, whether the server says seconds or a date; nil where it says neither.
    static func delay(_ response: HTTPClientResponse, wall: Instant) -> Duration? {
        guard let text = response.header("Retry-After") else { return nil }
        if let seconds = Int64(text) { return seconds < 0 ? nil : min(.seconds(seconds), most) }
        return instant(text).map { min(max(Duration($0 - wall), .zero), most) }
    }

    /// IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
    private static func instant(_ text: String) -> Instant? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Instant(rfc3339: "\(words[3])-\(number)-\(words[1])T\(words[4])Z")
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
