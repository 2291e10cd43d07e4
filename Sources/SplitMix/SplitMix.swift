// SplitMix: random numbers that a seed alone decides, the same on every machine and with every toolchain.
//
// It must not know any other module: the producers' fleets, the benchmarks and the tests draw from it, and their
// recorded expectations hold only while its numbers stay.
//
// Begin with `SplitMix64`. What is drawn from it (a choice, a distance, a text) is an extension where it is needed.

/// The generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
///
/// Two generators of one seed give the same sequence, for ever. It is fast and evenly distributed, and no secret
/// may depend on it.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins the sequence of `seed`. Every seed is good, 0 too.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits of the sequence.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
