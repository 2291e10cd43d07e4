/// SplitMix64 (Steele, Lea, Flood 2014). The same seed gives the same numbers on every system and toolchain, which
/// the standard library's own `random(in:using:)` does not promise.
struct SeededGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// One of many independent sequences of a seed.
    init(seed: UInt64, stream: UInt64) {
        var mixer = SeededGenerator(seed: seed)
        var streams = SeededGenerator(seed: mixer.next() ^ (stream &* 0xd1b5_4a32_d192_ed03))
        state = streams.next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Evenly from the range, its end left out.
    mutating func number(in range: Range<Double>) -> Double {
        let fraction = Double(next() >> 11) * 0x1p-53
        return range.lowerBound + fraction * (range.upperBound - range.lowerBound)
    }

    /// Evenly from the range.
    mutating func integer(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func happens(_ probability: Double) -> Bool {
        number(in: 0..<1) < probability
    }

    mutating func choose<Element>(_ elements: [Element]) -> Element {
        elements[integer(in: 0...elements.count - 1)]
    }
}
