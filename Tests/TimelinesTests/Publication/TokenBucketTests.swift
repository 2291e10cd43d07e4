import Testing
import Timelines

/// The budget of a configuration (L3).
@Suite struct TokenBucketTests {
    private let start = Instant(milliseconds: 1_772_438_400_000)

    private func terms(_ limit: Int, _ burst: Int) -> ReloadTerms {
        var reload = WidgetKind.Reload()
        reload.limit = limit
        reload.burst = burst
        return ReloadTerms(reload)
    }

    private func take(_ bucket: inout TokenBucket, _ terms: ReloadTerms, _ now: Instant) -> Bool {
        bucket.take(terms, at: now)
    }

    @Test("A bucket is full at first, and gives so many at once and no more")
    func burst() {
        let terms = ReloadTerms()
        var bucket = TokenBucket(terms, at: start)
        #expect(bucket.budget(terms, at: start) == ReloadBudget(limit: 48, remaining: 10, resetsAt: start))
        for left in (0..<10).reversed() {
            #expect(take(&bucket, terms, start))
            #expect(bucket.remaining(terms, at: start) == left)
        }
        #expect(!take(&bucket, terms, start))
    }

    @Test("It refills evenly by limit − burst in 24 hours: the next token is there to the millisecond, not before")
    func refill() {
        let terms = ReloadTerms()
        var bucket = TokenBucket(terms, at: start)
        for _ in 0..<10 { #expect(take(&bucket, terms, start)) }
        // 24 h / 38 = 2,273,684.2 ms
        let next = start + ElapsedTime(milliseconds: 2_273_685)
        #expect(bucket.nextToken(terms, at: start) == next)
        #expect(!take(&bucket, terms, next - ElapsedTime(milliseconds: 1)))
        #expect(take(&bucket, terms, next))
        // Ten tokens, of which one was taken: 11 × 24 h / 38.
        #expect(bucket.fullAt(terms, at: next) == start + ElapsedTime(milliseconds: 25_010_527))
        #expect(bucket.isFull(terms, at: start + ElapsedTime(milliseconds: 25_010_527)))
        #expect(!bucket.isFull(terms, at: start + ElapsedTime(milliseconds: 25_010_526)))
    }

    @Test(
        "Whoever always takes what there is takes the limit in 24 hours and never more in any 24 hours",
        arguments: [(48, 10), (48, 47), (48, 1), (1, 1), (2, 1), (10, 10), (86_400, 5)])
    func anyDay(limit: Int, burst: Int) {
        let terms = terms(limit, burst)
        var bucket = TokenBucket(terms, at: start)
        var taken: [Instant] = []
        var now = start
        while now < start + .hours(limit > 1000 ? 25 : 80) {
            while bucket.take(terms, at: now) { taken.append(now) }
            let next = bucket.nextToken(terms, at: now)
            #expect(next > now)
            now = next
        }
        var first = 0
        for (index, instant) in taken.enumerated() {
            while taken[first] + .hours(24) < instant { first += 1 }
            #expect(index - first + 1 <= limit)
        }
        #expect(taken.filter { $0 <= start + .hours(24) }.count >= limit - (limit == burst ? 0 : 1))
    }

    @Test("Asking in between changes nothing, and a restored bucket goes on as it was")
    func pure() {
        let terms = ReloadTerms()
        var asked = TokenBucket(terms, at: start)
        var left = asked
        for minute in Int64(0)..<500 {
            let now = start + .minutes(minute)
            _ = asked.remaining(terms, at: now)
            _ = asked.fullAt(terms, at: now)
            asked = TokenBucket(level: asked.level, asOf: asked.asOf)
            if minute % 7 == 0 { #expect(take(&asked, terms, now) == take(&left, terms, now)) }
        }
        #expect(asked == left)
    }

    @Test("A clock that goes back takes nothing away and adds nothing that was given already")
    func backwards() {
        let terms = terms(34, 10)
        var bucket = TokenBucket(terms, at: start)
        for _ in 0..<10 { #expect(take(&bucket, terms, start)) }
        #expect(take(&bucket, terms, start + .hours(1)))
        #expect(!take(&bucket, terms, start - .hours(5)))
        #expect(bucket.nextToken(terms, at: start - .hours(5)) == start + .hours(2))
        #expect(!take(&bucket, terms, start + .hours(1)))
        #expect(take(&bucket, terms, start + .hours(2)))
        // Told that it went back by hours, it goes on from there.
        bucket.clockWentBack(to: start - .hours(5), terms)
        #expect(bucket.nextToken(terms, at: start - .hours(5)) == start - .hours(4))
    }

    @Test("After years it is full, without an overflow")
    func years() {
        let terms = terms(86_400, 86_399)
        var bucket = TokenBucket(terms, at: Instant(milliseconds: 0))
        #expect(take(&bucket, terms, Instant(milliseconds: 0)))
        #expect(bucket.isFull(terms, at: start + .hours(24 * 365 * 100)))
    }

    @Test("A kind's terms go before those of all kinds, and those before the defaults")
    func terms() {
        #expect(ReloadTerms().limit == 48 && ReloadTerms().burst == 10 && ReloadTerms().coalesce == .seconds(2))
        var all = WidgetKind.Reload()
        all.limit = 20
        all.burst = 12
        all.scheduled = true
        var kind = WidgetKind.Reload()
        kind.limit = 5
        kind.coalesce = .zero
        let terms = ReloadTerms(kind, otherwise: all)
        #expect(terms.limit == 5 && terms.burst == 4 && terms.coalesce == .zero && terms.announcesRenewals)
        // A burst that nobody chose for a small limit does not use all of it up at once.
        #expect(ReloadTerms(kind).burst == 4)
        kind.limit = 1
        #expect(ReloadTerms(kind).burst == 1)
        kind.burst = 1
        kind.limit = 15
        #expect(ReloadTerms(kind, otherwise: all).burst == 1)
    }
}
