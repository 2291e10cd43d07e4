import Timelines

extension FleetDay {
    /// The sources of the topology by their numbers.
    private enum Source {
        static let telemetry = 0
        static let calendarEvents = 1
        static let configurations = 2
    }

    /// The number of a message's source, its key and its value (M2).
    func text(of message: Message, at: Instant) -> (source: Int, key: String, value: String) {
        switch message {
        case .masterData(let vehicle):
            let id = "vehicle-\(vehicle)"
            let value =
                #"{"vehicleId": "\#(id)", "observedAt": \#(at.milliseconds), "registration": "TL \#(100 + vehicle)", "#
                + #""alias": "Van \#(vehicle)"}"#
            return (Source.telemetry, id, value)
        case .telemetry(let vehicle, let moment):
            let id = "vehicle-\(vehicle)"
            let value =
                #"{"vehicleId": "\#(id)", "observedAt": \#(at.milliseconds), "status": "\#(moment.statusText)", "#
                + #""speed": \#(moment.speed), "latitude": 52.\#(100 + Int(moment.address)), "longitude": 13.4, "#
                + #""address": "Harbour Road \#(moment.address)"}"#
            return (Source.telemetry, id, value)
        case .widget(let number, let isSignedIn):
            return widgetText(number, isSignedIn: isSignedIn)
        case .event(let calendar, let number, let version):
            let begin = start + .hours(Int64(number) * 2) + .minutes(version == 0 ? 10 : 40)
            let value =
                #"{"calendarId": "calendar-\#(calendar)", "uid": "\#(number)", "sequence": \#(version), "#
                + #""title": "Trip \#(number)", "start": "\#(begin.rfc3339)", "duration": "PT50M"}"#
            return (Source.calendarEvents, "calendar-\(calendar)/\(number)", value)
        }
    }

    private func widgetText(_ number: Int32, isSignedIn: Bool) -> (source: Int, key: String, value: String) {
        let widget = widgets[Int(number)]
        let id = "widget-\(number)"
        let value =
            #"{"configurationId": "\#(id)", "kind": "\#(widget.kind)", "recipient": "person-\#(widget.recipient)", "#
            + #""signedIn": \#(isSignedIn), \#(widget.shows)}"#
        return (Source.configurations, id, value)
    }
}
