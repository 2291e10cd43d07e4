import SplitMix

// The draws of a fleet. The arithmetic is our own, for the standard library does not promise that `random(in:using:)`
// gives the same numbers with the next toolchain, and a fleet of a seed must stay as it is.

extension SplitMix64 {
    /// Begins one of many independent sequences of a seed.
    init(seed: UInt64, stream: UInt64) {
        var mixer = SplitMix64(seed: seed)
        var streams = SplitMix64(seed: mixer.next() ^ (stream &* 0xd1b5_4a32_d192_ed03))
        self.init(seed: streams.next())
    }

    /// Draws a number evenly from the range, its end left out.
    mutating func number(in range: Range<Double>) -> Double {
        let fraction = Double(next() >> 11) * 0x1p-53
        return range.lowerBound + fraction * (range.upperBound - range.lowerBound)
    }

    /// Draws a whole number evenly from the range.
    mutating func integer(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// Is true with `probability`, a share from 0 to 1.
    mutating func happens(_ probability: Double) -> Bool {
        number(in: 0..<1) < probability
    }

    /// Draws one of `elements`, of which there must be one at least.
    mutating func choose<Element>(_ elements: [Element]) -> Element {
        elements[integer(in: 0...elements.count - 1)]
    }
}
