internal import CSimdjson

extension MessageProblem {
    /// What the C++ reader found, in words.
    init(_ problem: csimdjson_problem, field: csimdjson_field? = nil) {
        let name = field?.name ?? ""
        switch problem {
        case csimdjson_problem_none: preconditionFailure("there is no problem")
        case csimdjson_problem_not_json: self.init(.unreadable, "The message is not valid JSON in UTF-8.")
        case csimdjson_problem_not_an_object: self.init(.unreadable, "The message is not a JSON object.")
        case csimdjson_problem_too_deep: self.init(.unreadable, "The message is nested deeper than 128 levels.")
        case csimdjson_problem_no_memory: self.init(.tooLarge, "There is no memory to read the message.")
        case csimdjson_problem_missing: self = .missing(name)
        case csimdjson_problem_wrong_type: self = .wrongType(name, field?.allowed ?? "")
        case csimdjson_problem_not_allowed: self = .notAllowed(name, field?.allowed ?? "")
        }
    }
}

extension csimdjson_field {
    /// As in the message.
    fileprivate var name: String {
        switch self {
        case csimdjson_field_vehicle_id: "vehicleId"
        case csimdjson_field_observed_at: "observedAt"
        case csimdjson_field_status: "status"
        case csimdjson_field_ignition: "ignition"
        case csimdjson_field_speed: "speed"
        case csimdjson_field_latitude: "latitude"
        case csimdjson_field_longitude: "longitude"
        case csimdjson_field_heading: "heading"
        case csimdjson_field_address: "address"
        case csimdjson_field_custom_address_icon: "customAddressIcon"
        case csimdjson_field_registration: "registration"
        case csimdjson_field_alias: "alias"
        case csimdjson_field_series: "series"
        }
    }

    /// What the field may hold, to follow "must be".
    fileprivate var allowed: String {
        switch self {
        case csimdjson_field_vehicle_id: "text that is not empty, or a number"
        case csimdjson_field_observed_at: "an RFC 3339 date-time with offset, or whole milliseconds since 1970"
        case csimdjson_field_status: "one of Moving, Idling, Stopped, IgnitionOff, Charging, Offline"
        case csimdjson_field_ignition: "true or false"
        case csimdjson_field_speed: "a number of km/h, 0 or more"
        case csimdjson_field_latitude: "a number of degrees from -90 to 90"
        case csimdjson_field_longitude: "a number of degrees from -180 to 180"
        case csimdjson_field_heading: "a number of degrees from 0 to 360"
        case csimdjson_field_series: "an object of lists {name: [{at, value}]}"
        case csimdjson_field_address, csimdjson_field_custom_address_icon, csimdjson_field_registration,
            csimdjson_field_alias:
            "text"
        }
    }
}
