import Synchronization

/// Token buckets by address. The memory is bounded: the bucket that was unused for longest makes room.
final class RateLimiter: Sendable {
    private let limit: RateLimit
    private let buckets: Mutex<Buckets>

    init(_ limit: RateLimit) {
        self.limit = limit
        buckets = Mutex(Buckets())
    }

    /// Takes a token. Returns `nil` where there was one, otherwise the whole seconds until there is one, at least 1.
    func wait(_ network: PeerAddress.Network, at now: Int64) -> Int? {
        buckets.withLock { buckets in
            let index = buckets.use(network, limit: limit, at: now)
            let elapsed = Double(max(0, now - buckets.all[index].time)) / 1_000_000_000
            let tokens = min(limit.burst, buckets.all[index].tokens + elapsed * limit.perSecond)
            buckets.all[index].time = max(now, buckets.all[index].time)
            buckets.all[index].tokens = tokens >= 1 ? tokens - 1 : tokens
            return tokens >= 1 ? nil : max(1, Int(((1 - tokens) / limit.perSecond).rounded(.up)))
        }
    }

    /// The number of addresses that are remembered.
    var count: Int { buckets.withLock { $0.all.count } }

    private struct Bucket {
        var network: PeerAddress.Network
        var tokens: Double
        /// The time at which there were so many tokens.
        var time: Int64
        var newer: Int
        var older: Int
    }

    /// The buckets in a list from the one used last to the one unused for longest.
    private struct Buckets {
        var all: [Bucket] = []
        var indexes: [PeerAddress.Network: Int] = [:]
        var newest = -1
        var oldest = -1

        mutating func use(_ network: PeerAddress.Network, limit: RateLimit, at now: Int64) -> Int {
            if let index = indexes[network] {
                if index != newest {
                    unlink(index)
                    link(index)
                }
                return index
            }
            let bucket = Bucket(network: network, tokens: limit.burst, time: now, newer: -1, older: -1)
            let index: Int
            if all.count < limit.addresses {
                index = all.count
                all.append(bucket)
            } else {
                index = oldest
                unlink(index)
                indexes[all[index].network] = nil
                all[index] = bucket
            }
            indexes[network] = index
            link(index)
            return index
        }

        private mutating func unlink(_ index: Int) {
            let (newer, older) = (all[index].newer, all[index].older)
            if newer >= 0 { all[newer].older = older } else { newest = older }
            if older >= 0 { all[older].newer = newer } else { oldest = newer }
        }

        private mutating func link(_ index: Int) {
            all[index].newer = -1
            all[index].older = newest
            if newest >= 0 { all[newest].newer = index } else { oldest = index }
            newest = index
        }
    }
}
