import Foundation

extension WidgetConfiguration.Sensitivity {
    /// Whether a vehicle changed by a threshold or more since a timeline was last made. What is not known on both sides
    /// has not changed.
    package func isExceeded(from old: Vehicle, to new: Vehicle) -> Bool {
        if let speed, let before = old.speed, let after = new.speed, (after - before).magnitude >= speed { return true }
        guard let distance, let metres = old.distance(to: new) else { return false }
        return metres >= distance
    }
}

extension Vehicle {
    /// Metres along the great circle (haversine formula, mean radius of the Earth); nil where a position is unknown.
    fileprivate func distance(to other: Vehicle) -> Double? {
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
