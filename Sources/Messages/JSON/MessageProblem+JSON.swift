internal import CSimdjson

extension MessageProblem {
    /// What the C++ reader found, in words.
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
    /// As in the message.
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

    /// What the field may hold, to follow "must be".
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
