import HTTPClient
import Testing

@Suite("Dates in headers")
struct HTTPDateTests {
    @Test(
        "each of HTTP's forms is read, and nothing else",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648), ("soon", nil), ("", nil), ("-5", nil), ("7", nil),
        ] as [(String, Int?)])
    func forms(text: String, seconds: Int?) {
        let response = HTTPClientResponse(status: 503, headers: [HTTPHeader("retry-after", text)])
        #expect(response.secondsOfDate("Retry-After") == seconds)
        #expect(response.secondsOfDate("Date") == nil)
    }
}
