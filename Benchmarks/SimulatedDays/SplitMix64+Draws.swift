import SplitMix

// What a simulated day draws.

extension SplitMix64 {
    /// Draws from 0 to `bound`, which is left out.
    mutating func below(_ bound: Int64) -> Int64 { Int64.random(in: 0..<bound, using: &self) }

    /// Is true in `percent` of 100 draws.
    mutating func happens(_ percent: Int64) -> Bool { below(100) < percent }
}
