import HTTPServer
import Messages
import Timelines

/// An object of a request's body.
struct BodyObject {
    /// Its place in the body: empty for a body of one object, `items[3]` within an array or JSON lines.
    var path: String
    var bytes: UnsafeRawBufferPointer
}

extension GatewayRequest {
    /// Refuses bodies of other media types, of another charset than UTF-8, and with a content coding (RFC 9110 section
    /// 15.5.16). A body that names no type counts as JSON.
    func requireMediaType(_ allowed: [String]) throws(Problem) {
        if let coding = http.header("Content-Encoding"), coding.lowercased() != "identity" {
            throw .unsupportedMediaType(allowed)
        }
        guard let header = http.header("Content-Type") else { return }
        let parts = header.lowercased().filter { !" \t\"".contains($0) }.split(separator: ";")
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
        guard let name = parts.first, allowed.contains(String(name)), charset == nil || charset == "charset=utf-8"
        else { throw .unsupportedMediaType(allowed) }
    }

    /// The body as one JSON object.
    ///
    /// - Throws: 415 for another media type, 400 for what is no JSON, 422 for what is no object.
    func object(_ mediaTypes: [String] = [MediaType.json]) throws(Problem) -> Parameters {
        try requireMediaType(mediaTypes)
        let value: ParameterValue
        do throws(MessageProblem) {
            var parser = JSONParser()
            value = try http.body.withUnsafeBufferPointer { (bytes) throws(MessageProblem) in
                try parser.value(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw .unreadableBody(error.message)
        }
        guard case .object(let members) = value else {
            throw .invalidFields([.init(field: "body", message: "must be a JSON object")])
        }
        return members
    }

    /// Lends the objects of the body: one, those of an array, or JSON lines.
    ///
    /// - Throws: 415 for another media type, 400 for what is no JSON; the problems of `body`.
    func withObjects<Result>(_ body: ([BodyObject]) throws(Problem) -> Result) throws(Problem) -> Result {
        try requireMediaType([MediaType.json] + MediaType.lines)
        return try http.body.withUnsafeBufferPointer { (buffer) throws(Problem) in
            let bytes = UnsafeRawBufferPointer(buffer)
            if let json = JSONText(validating: bytes) { return try body(Self.objects(of: json)) }
            guard let lines = Self.lines(of: bytes) else {
                throw .unreadableBody("The body is neither JSON nor JSON lines, in UTF-8.")
            }
            return try body(lines)
        }
    }

    private static func objects(of json: JSONText) throws(Problem) -> [BodyObject] {
        let whole = json.slice(json.whole)
        let first = whole.first { !" \t\r\n".utf8.contains($0) }
        if first == UInt8(ascii: "{") { return [BodyObject(path: "", bytes: whole)] }
        let elements = json.elements(of: json.whole)
        guard first == UInt8(ascii: "["), !elements.isEmpty else {
            throw .invalidFields([.init(field: "body", message: "must be an object, or a list of one object or more")])
        }
        return elements.enumerated().map { BodyObject(path: "items[\($0)]", bytes: json.slice($1)) }
    }

    /// The lines that are not blank; `nil` if one of them is not JSON, or there is none.
    private static func lines(of bytes: UnsafeRawBufferPointer) -> [BodyObject]? {
        var objects: [BodyObject] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var line = UnsafeRawBufferPointer(rebasing: line)
            while let last = line.last, " \t\r".utf8.contains(last) {
                line = UnsafeRawBufferPointer(rebasing: line.dropLast())
            }
            if line.isEmpty { continue }
            guard JSONText(validating: line) != nil else { return nil }
            objects.append(BodyObject(path: "items[\(objects.count)]", bytes: line))
        }
        return objects.isEmpty ? nil : objects
    }
}

/// The media types of bodies.
enum MediaType {
    static let json = "application/json"
    static let mergePatch = "application/merge-patch+json"
    /// The names in use for JSON lines.
    static let lines = ["application/x-ndjson", "application/jsonl"]
}

extension Problem {
    static func unsupportedMediaType(_ allowed: [String]) -> Problem {
        let list = allowed.joined(separator: ", ")
        return Problem(
            415, "unsupported-media-type", "The body's media type is not taken here.",
            detail: "Taken is \(list), in UTF-8 and without a content coding.",
            headers: [HTTPField("Accept-Post", list)])
    }

    /// 422 with all problems of the records, the first 50 of them named.
    static func refused(_ errors: [FieldError]) -> Problem {
        var problem = Problem.invalidFields(Array(errors.prefix(50)))
        if errors.count > 50 { problem.detail = "These are the first 50 of \(errors.count)." }
        return problem
    }
}
