import Timelines

/// Finds the IANA name in what calendar programs write into TZID.
enum ZoneName {
    /// The name itself, the name inside a wrapper such as `/mozilla.org/20050126_1/Europe/Berlin`, or that of a
    /// Windows zone; nil for all others, an IANA name in another spelling included: `Europe/lisbon` is no
    /// `Europe/Lisbon`.
    static func iana(_ name: String) -> String? {
        let name = name.filter { $0 != "\"" }
        if LocalCalendar(name) != nil { return name }
        if name.hasPrefix("/") {
            let parts = name.split(separator: "/")
            for count in [3, 2, 1] where parts.count > count {
                let inner = parts.suffix(count).joined(separator: "/")
                if LocalCalendar(inner) != nil { return inner }
            }
        }
        return windows[name]
    }

    /// The names that Windows and Exchange use, with the zone that Unicode's CLDR gives for the whole world.
    private static let windows: [String: String] = [
        "AUS Central Standard Time": "Australia/Darwin",
        "AUS Eastern Standard Time": "Australia/Sydney",
        "Alaskan Standard Time": "America/Anchorage",
        "Arab Standard Time": "Asia/Riyadh",
        "Arabian Standard Time": "Asia/Dubai",
        "Argentina Standard Time": "America/Argentina/Buenos_Aires",
        "Atlantic Standard Time": "America/Halifax",
        "Azores Standard Time": "Atlantic/Azores",
        "Belarus Standard Time": "Europe/Minsk",
        "Canada Central Standard Time": "America/Regina",
        "Cen. Australia Standard Time": "Australia/Adelaide",
        "Central America Standard Time": "America/Guatemala",
        "Central Brazilian Standard Time": "America/Cuiaba",
        "Central Europe Standard Time": "Europe/Budapest",
        "Central European Standard Time": "Europe/Warsaw",
        "Central Pacific Standard Time": "Pacific/Guadalcanal",
        "Central Standard Time": "America/Chicago",
        "Central Standard Time (Mexico)": "America/Mexico_City",
        "China Standard Time": "Asia/Shanghai",
        "E. Africa Standard Time": "Africa/Nairobi",
        "E. Australia Standard Time": "Australia/Brisbane",
        "E. Europe Standard Time": "Europe/Chisinau",
        "E. South America Standard Time": "America/Sao_Paulo",
        "Eastern Standard Time": "America/New_York",
        "Egypt Standard Time": "Africa/Cairo",
        "FLE Standard Time": "Europe/Kyiv",
        "GMT Standard Time": "Europe/London",
        "GTB Standard Time": "Europe/Bucharest",
        "Greenland Standard Time": "America/Nuuk",
        "Greenwich Standard Time": "Atlantic/Reykjavik",
        "Hawaiian Standard Time": "Pacific/Honolulu",
        "India Standard Time": "Asia/Kolkata",
        "Iran Standard Time": "Asia/Tehran",
        "Israel Standard Time": "Asia/Jerusalem",
        "Jordan Standard Time": "Asia/Amman",
        "Korea Standard Time": "Asia/Seoul",
        "Morocco Standard Time": "Africa/Casablanca",
        "Mountain Standard Time": "America/Denver",
        "Nepal Standard Time": "Asia/Kathmandu",
        "New Zealand Standard Time": "Pacific/Auckland",
        "Newfoundland Standard Time": "America/St_Johns",
        "Pacific SA Standard Time": "America/Santiago",
        "Pacific Standard Time": "America/Los_Angeles",
        "Pakistan Standard Time": "Asia/Karachi",
        "Romance Standard Time": "Europe/Paris",
        "Russian Standard Time": "Europe/Moscow",
        "SA Eastern Standard Time": "America/Cayenne",
        "SA Pacific Standard Time": "America/Bogota",
        "SA Western Standard Time": "America/La_Paz",
        "SE Asia Standard Time": "Asia/Bangkok",
        "Singapore Standard Time": "Asia/Singapore",
        "South Africa Standard Time": "Africa/Johannesburg",
        "Taipei Standard Time": "Asia/Taipei",
        "Tasmania Standard Time": "Australia/Hobart",
        "Tokyo Standard Time": "Asia/Tokyo",
        "Turkey Standard Time": "Europe/Istanbul",
        "US Eastern Standard Time": "America/Indiana/Indianapolis",
        "US Mountain Standard Time": "America/Phoenix",
        "UTC": "UTC",
        "Venezuela Standard Time": "America/Caracas",
        "W. Australia Standard Time": "Australia/Perth",
        "W. Central Africa Standard Time": "Africa/Lagos",
        "W. Europe Standard Time": "Europe/Berlin",
        "West Asia Standard Time": "Asia/Tashkent",
    ]
}
