package import HTTPServer
package import Messages

/// An error as a client reads it: `application/problem+json` (RFC 9457) with the type `urn:tideline:problem:NAME`.
///
/// A handler throws it; the router answers with it.
package struct Problem: Error, Hashable, Sendable {
    package var status: Int
    /// The last part of the type, such as `not-found`; see the functions below for the names in use.
    package var name: String
    /// The same words for every problem of this name.
    package var title: String
    /// The words for this occurrence; `nil` if the title says all.
    package var detail: String?
    /// The fields and parameters that are wrong, in the order in which they were found.
    package var errors: [FieldError]
    /// The record that the request wrote, where the problem came after it.
    package var written: RecordPlace?
    /// Headers of the answer, such as `WWW-Authenticate` and `Allow`.
    package var headers: [HTTPField]

    /// A field of the body or a parameter that is wrong.
    package struct FieldError: Hashable, Sendable {
        /// The path of a field (`items[3].observedAt`), or the name of a parameter.
        package var field: String
        /// The words that follow the field's name, such as "must be true or false".
        package var message: String
        /// All values that are allowed, where they can be listed.
        package var allowed: [String]?

        package init(field: String, message: String, allowed: [String]? = nil) {
            self.field = field
            self.message = message
            self.allowed = allowed
        }
    }

    package init(
        _ status: Int, _ name: String, _ title: String, detail: String? = nil, errors: [FieldError] = [],
        headers: [HTTPField] = []
    ) {
        self.status = status
        self.name = name
        self.title = title
        self.detail = detail
        self.errors = errors
        self.headers = headers
    }
}

// MARK: - The names in use

extension Problem {
    /// 404: there is no such thing, or the caller may not know of it. Both answers are the same, byte by byte.
    package static let notFound = Problem(404, "not-found", "There is nothing here.")

    /// 405: the path is there, its methods are others.
    package static func methodNotAllowed(_ allowed: [String]) -> Problem {
        let list = allowed.joined(separator: ", ")
        return Problem(
            405, "method-not-allowed", "This path does not take the method.", detail: "Allowed is \(list).",
            headers: [HTTPField("Allow", list)])
    }

    /// 401: there is no credential, or none that is accepted.
    ///
    /// - Parameter detail: words that tell nothing about the tokens of others.
    package static func unauthorized(_ detail: String, challenge: String) -> Problem {
        Problem(
            401, "unauthorized", "The request needs a valid bearer token.", detail: detail,
            headers: [HTTPField("WWW-Authenticate", challenge)])
    }

    /// 403: the caller is known and lacks the scope.
    package static func forbidden(scope: String) -> Problem {
        Problem(
            403, "forbidden", "The token does not have the scope of this request.", detail: "Needed is \(scope).",
            headers: [HTTPField("WWW-Authenticate", #"Bearer error="insufficient_scope", scope="\#(scope)""#)])
    }

    /// 400: parameters of the query or headers that are wrong.
    package static func invalidParameters(_ errors: [FieldError]) -> Problem {
        Problem(400, "invalid-parameters", "A parameter is not allowed.", errors: errors)
    }

    package static func invalidParameter(
        _ name: String, _ message: String, allowed: [String]? = nil
    ) -> Problem {
        invalidParameters([FieldError(field: name, message: message, allowed: allowed)])
    }

    /// 400: the body is not JSON, or not the kind of value that the route takes.
    package static func unreadableBody(_ detail: String) -> Problem {
        Problem(400, "unreadable-body", "The body cannot be read.", detail: detail)
    }

    /// 422: the body can be read and holds fields that are not allowed. Nothing of it was written.
    package static func invalidFields(_ errors: [FieldError]) -> Problem {
        Problem(422, "invalid-fields", "The body has fields that are not allowed.", errors: errors)
    }

    /// 412: the condition of `If-Match` does not hold.
    package static func preconditionFailed(_ detail: String) -> Problem {
        Problem(412, "precondition-failed", "The resource is another than the request expects.", detail: detail)
    }

    /// 503: the topics are not read yet, or the brokers are away. The request may be repeated.
    package static func unavailable(_ detail: String) -> Problem {
        Problem(
            503, "unavailable", "The server cannot answer now.", detail: detail,
            headers: [HTTPField("Retry-After", "1")])
    }

    /// 504: what the request waits for did not come in time; what it wrote stays written.
    package static func waitTimedOut(_ detail: String) -> Problem {
        Problem(504, "wait-timed-out", "What the request waits for did not come in time.", detail: detail)
    }

    /// 500: the server's own fault.
    package static func internalError(_ detail: String) -> Problem {
        Problem(500, "internal-error", "The server failed.", detail: detail)
    }
}

extension Problem {
    /// The problem of a message of a topic, as a field of a body.
    package static func fieldError(_ problem: MessageProblem, at path: String = "") -> FieldError {
        let parts = [path, problem.field ?? ""].filter { !$0.isEmpty }
        return FieldError(field: parts.joined(separator: "."), message: problem.message)
    }

    /// The members of the problem as JSON (RFC 9457 section 3.1).
    package var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: 256)
        json.beginObject()
        json.string("type", "urn:tideline:problem:\(name)")
        json.string("title", title)
        json.integer("status", status)
        json.string("detail", detail)
        if !errors.isEmpty {
            json.key("errors")
            json.beginArray()
            for error in errors {
                json.beginObject()
                json.string("field", error.field)
                json.string("message", error.message)
                json.strings("allowed", error.allowed)
                json.endObject()
            }
            json.endArray()
        }
        if let written {
            json.key("written")
            json.place(written)
        }
        json.endObject()
        return json.bytes
    }

    /// The answer with this problem.
    package var response: HTTPResponse {
        HTTPResponse(
            status,
            headers: headers + [
                HTTPField("Content-Type", "application/problem+json"), HTTPField("Cache-Control", "no-store"),
            ], body: HTTPBody(json + [0x0A]))
    }
}
