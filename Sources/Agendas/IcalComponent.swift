import CIcal
import Timelines

/// Owns a component that libical has read.
struct IcalComponent: ~Copyable {
    private let component: OpaquePointer

    /// libical's default differs between builds: a mistake in a text must never end the process.
    private static let isPrepared: Bool = {
        icalerror_set_errors_are_fatal(0)
        return true
    }()

    /// Nil, where libical makes nothing of it.
    init?(_ name: String, lines: some Sequence<ContentLine>) {
        precondition(Self.isPrepared)
        var text = Array("BEGIN:\(name)\r\n".utf8)
        for line in lines { text += line.bytes + [UInt8(ascii: "\r"), UInt8(ascii: "\n")] }
        text += Array("END:\(name)\r\n".utf8) + [0]
        let component = text.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { icalparser_parse_string($0.baseAddress) }
        }
        guard let component else { return nil }
        self.component = component
    }

    deinit {
        icalcomponent_free(component)
    }

    /// Gives the component away, to one that frees it.
    consuming func release() -> OpaquePointer {
        let component = component
        discard self
        return component
    }

    /// A property of type TEXT, without its escapes; nil, where there is none.
    func text(_ kind: icalproperty_kind) -> String? {
        guard let property = icalcomponent_get_first_property(component, kind),
            let value = icalproperty_get_value(property), let text = icalvalue_get_text(value)
        else { return nil }
        return String(cString: text)
    }

    /// A property of type DATE or DATE-TIME; nil, where there is none.
    func time(_ kind: icalproperty_kind) -> (time: EventTime, zoneName: String?)? {
        guard let property = icalcomponent_get_first_property(component, kind),
            let value = icalproperty_get_value_as_string(property),
            let time = EventTime(basic: String(cString: value))
        else { return nil }
        let parameter = icalproperty_get_first_parameter(property, ICAL_TZID_PARAMETER)
        return (time, parameter.flatMap { icalparameter_get_tzid($0) }.map { String(cString: $0) })
    }

    func has(_ parameter: icalparameter_kind, on kind: icalproperty_kind) -> Bool {
        guard let property = icalcomponent_get_first_property(component, kind) else { return false }
        return icalproperty_get_first_parameter(property, parameter) != nil
    }

    /// DURATION; nil, where there is none or it is negative.
    var duration: CalendarDuration? {
        guard let property = icalcomponent_get_first_property(component, ICAL_DURATION_PROPERTY) else { return nil }
        let duration = icalproperty_get_duration(property)
        guard duration.is_neg == 0 else { return nil }
        let minutes = Int64(duration.hours) * 60 + Int64(duration.minutes)
        return CalendarDuration(
            days: Int(duration.weeks) * 7 + Int(duration.days), time: .seconds(minutes * 60 + Int64(duration.seconds)))
    }

    var status: EventStatus {
        guard let property = icalcomponent_get_first_property(component, ICAL_STATUS_PROPERTY) else {
            return .confirmed
        }
        return switch icalproperty_get_status(property) {
        case ICAL_STATUS_CANCELLED: .cancelled
        case ICAL_STATUS_TENTATIVE: .tentative
        default: .confirmed
        }
    }

    var sequence: Int {
        guard let property = icalcomponent_get_first_property(component, ICAL_SEQUENCE_PROPERTY) else { return 0 }
        return max(0, Int(icalproperty_get_sequence(property)))
    }
}
