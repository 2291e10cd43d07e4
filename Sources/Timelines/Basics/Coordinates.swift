internal import Foundation

/// The text of degrees with 5 decimals, rounded as C's `%.5f` does, but without a sign on zero.
func fiveDecimals(_ degrees: Double) -> String {
    let units = hundredThousandths(degrees)
    let room = 24
    return String(unsafeUninitializedCapacity: room) { memory in
        // From the last digit to the first, then to the beginning of the memory.
        var rest = units.magnitude
        var place = room
        repeat {
            place -= 1
            if room - place == 6 {
                memory[place] = UInt8(ascii: ".")
                continue
            }
            memory[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        } while rest > 0 || room - place < 7
        if units < 0 {
            place -= 1
            memory[place] = UInt8(ascii: "-")
        }
        for index in place..<room { memory[index - place] = memory[index] }
        return room - place
    }
}

/// A value in units of the fifth decimal, rounded to the nearest by the exact value of the binary number.
func hundredThousandths(_ value: Double) -> Int64 {
    let scaled = value * 100_000
    guard scaled.magnitude < 1e15 else { return wholeNumber(scaled) }
    let below = scaled.rounded(.down)
    let fraction = scaled - below
    guard fraction == 0.5 else { return Int64(scaled.rounded()) }
    // A product that looks like a tie may have been rounded to it; what was lost decides, and a true tie goes to even.
    let lost = (-scaled).addingProduct(value, 100_000)
    if lost != 0 { return Int64(below) + (lost > 0 ? 1 : 0) }
    return Int64(scaled.rounded(.toNearestOrEven))
}

/// The nearest whole number within what 64 bits hold; 0 for what is not a number.
func wholeNumber(_ value: Double) -> Int64 {
    Int64(exactly: value.rounded()) ?? (value.isNaN ? 0 : value > 0 ? .max : .min)
}

extension Vehicle {
    /// The distance in metres along the great circle (haversine formula, mean radius of the Earth); `nil` means that a
    /// position is unknown.
    func distance(to other: Vehicle) -> Double? {
        guard let latitude, let longitude, let otherLatitude = other.latitude, let otherLongitude = other.longitude
        else { return nil }
        let radians = Double.pi / 180
        let (from, to) = (latitude * radians, otherLatitude * radians)
        let acrossLatitude = sin((to - from) / 2)
        let acrossLongitude = sin((otherLongitude - longitude) * radians / 2)
        let haversine =
            acrossLatitude * acrossLatitude + cos(from) * cos(to) * acrossLongitude * acrossLongitude
        return 2 * 6_371_008.8 * asin(min(1, haversine.squareRoot()))
    }
}
