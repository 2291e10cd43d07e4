internal import CSimdjson

/// The reason why a message cannot be read. The record goes to the dead letters with this reason and with its bytes
/// unchanged, and processing goes on.
package struct MessageProblem: Error, Hashable, Sendable {
    package var kind: Kind
    /// The path of the field (`speed`, `series.fuel[2].at`); `nil` means that the message as a whole cannot be read.
    package var field: String?
    /// The problem and what is allowed, such as "must be true or false".
    package var message: String

    package init(_ kind: Kind, field: String? = nil, _ message: String) {
        self.kind = kind
        self.field = field
        self.message = message
    }

    /// The kinds of problems, by the names that dead letters carry.
    package enum Kind: String, CaseIterable, Sendable {
        /// The value is not JSON, or not the kind of value that the topic carries.
        case unreadable
        /// A field that must be there is absent or null.
        case missing
        /// A field has another type than its own.
        case wrongType
        /// The value has the right type and is outside of what is allowed.
        case notAllowed
        /// The value has more bytes than this application or the topic takes.
        case tooLarge
    }

    static func missing(_ field: String) -> MessageProblem {
        MessageProblem(.missing, field: field, "is missing")
    }

    static func wrongType(_ field: String, _ allowed: String) -> MessageProblem {
        MessageProblem(.wrongType, field: field, "must be \(allowed)")
    }

    static func notAllowed(_ field: String, _ allowed: String) -> MessageProblem {
        MessageProblem(.notAllowed, field: field, "must be \(allowed)")
    }
}

extension MessageProblem: CustomStringConvertible {
    package var description: String {
        field.map { "\($0): \(message)" } ?? message
    }
}

extension MessageProblem {
    /// Puts a problem that the C++ reader found into words.
    init(_ problem: csimdjson_problem, field: csimdjson_field? = nil) {
        let name = field?.name ?? ""
        switch problem {
        case .none: preconditionFailure("there is no problem")
        case .not_json: self.init(.unreadable, "The message is not valid JSON in UTF-8.")
        case .not_an_object: self.init(.unreadable, "The message is not a JSON object.")
        case .too_deep: self.init(.unreadable, "The message is nested deeper than 128 levels.")
        case .no_memory: self.init(.tooLarge, "There is no memory to read the message.")
        case .missing: self = .missing(name)
        case .wrong_type: self = .wrongType(name, field?.allowed ?? "")
        case .not_allowed: self = .notAllowed(name, field?.allowed ?? "")
        }
    }
}

extension csimdjson_field {
    /// The field's name in the message.
    fileprivate var name: String {
        switch self {
        case .vehicle_id: "vehicleId"
        case .observed_at: "observedAt"
        case .status: "status"
        case .ignition: "ignition"
        case .speed: "speed"
        case .latitude: "latitude"
        case .longitude: "longitude"
        case .heading: "heading"
        case .address: "address"
        case .custom_address_icon: "customAddressIcon"
        case .registration: "registration"
        case .alias: "alias"
        case .series: "series"
        }
    }

    /// The values that the field may hold, in words that follow "must be".
    fileprivate var allowed: String {
        switch self {
        case .vehicle_id: "text that is not empty, or a number"
        case .observed_at: "an RFC 3339 date-time with offset, or whole milliseconds since 1970"
        case .status: "one of Moving, Idling, Stopped, IgnitionOff, Charging, Offline"
        case .ignition: "true or false"
        case .speed: "a number of km/h, 0 or more"
        case .latitude: "a number of degrees from -90 to 90"
        case .longitude: "a number of degrees from -180 to 180"
        case .heading: "a number of degrees from 0 to 360"
        case .series: "an object of lists {name: [{at, value}]}"
        case .address, .custom_address_icon, .registration,
            .alias:
            "text"
        }
    }
}
