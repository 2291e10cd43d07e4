/// Why a sink could not do what it was asked, which is what to do next.
package enum SinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not now: hold the position and ask again with the same record (the disk is full, the server is away).
    case unavailable(SinkFault)
    /// Not before somebody changes something: permissions, a directory that is none.
    case refused(SinkFault)
    /// The record itself cannot be written: tell, and go on with the next.
    case unusable(reason: String)

    package var description: String {
        switch self {
        case .unavailable(let fault), .refused(let fault): fault.description
        case .unusable(let reason): reason
        }
    }

    package var isRetriable: Bool {
        if case .unavailable = self { true } else { false }
    }
}

/// What failed, and where.
package struct SinkFault: Hashable, Sendable, CustomStringConvertible {
    /// The path or address.
    package var place: String
    package var operation: String
    package var reason: String

    package init(place: String, operation: String, reason: String) {
        self.place = place
        self.operation = operation
        self.reason = reason
    }

    package var description: String { "cannot \(operation) \(place): \(reason)" }
}
