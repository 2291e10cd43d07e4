import TestSupport
import Testing
import Timelines

@Suite("Content and visible change")
struct ContentDigestTests {
    let now = at("2026-11-20T10:00:00Z")

    func digest(_ entries: [TimelineEntry], due: String? = nil, kind: String = "K") -> ContentDigest {
        let due = due.map { at($0) }
        let timeline = Timeline(
            entries: entries, policy: due.map { .after($0) } ?? .never, nextUpdate: due, validUntil: nil)
        return ContentDigest(of: timeline, kind: kind, family: .systemMedium)
    }

    func status(_ date: String, _ change: (inout TimelineEntry.VehicleView) -> Void = { _ in }) -> TimelineEntry {
        var made = entry(.status, date)
        var view = TimelineEntry.VehicleView.sample(0)
        change(&view)
        made.vehicle = view
        return made
    }

    func isSame(_ old: TimelineEntry, _ new: TimelineEntry) -> Bool {
        digest([old]).isSameContent(as: digest([new]), at: now)
    }

    @Test("Ids, observedAt, the date in force and stale dates are no content")
    func ignored() {
        var (old, new) = (status("2026-11-20T09:58:00Z"), status("2026-11-20T10:00:00Z"))
        (old.id, new.id) = ("a", "b")
        old.vehicle?.observedAt = at("2026-11-20T09:00:00Z")
        let (oldStale, newStale) = (entry(.stale, "2026-11-20T10:04:00Z"), entry(.stale, "2026-11-20T10:06:00Z"))
        let older = digest([old, oldStale], due: "2026-11-20T10:00:00Z")
        let newer = digest([new, newStale], due: "2026-11-20T10:02:00Z")
        #expect(older.isSameContent(as: newer, at: now) && !older.isVisibleChange(to: newer, at: now))
    }

    @Test("Everything else is content")
    func content() {
        let old = status("2026-11-20T10:00:00Z")
        let event = timed("a", "2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z")
        let changes: [(inout TimelineEntry) -> Void] = [
            { $0.phase = .tick }, { $0.event = event }, { $0.next = event }, { $0.ongoing = [] },
            { $0.ongoing = [event] }, { $0.isTentative = true }, { $0.isSample = true }, { $0.vehicle = nil },
            { $0.values = [] }, { $0.values = [.init(name: "a", value: 1)] },
            { $0.message = .init("a", code: .silent) },
            { $0.relevance = .init(score: 1) }, { $0.parameters = options([("a", .null)]) },
            { $0.parameters = options([("a", .bool(false))]) }, { $0.parameters = options([("a", .number("1"))]) },
            { $0.parameters = options([("a", .string("1"))]) }, { $0.parameters = options([("a", .array([.null]))]) },
            { $0.parameters = options([("a", .object(Parameters()))]) }, { $0.vehicle?.vehicleId = "1" },
            { $0.vehicle?.registration = nil }, { $0.vehicle?.registration = "" }, { $0.vehicle?.alias = "a" },
            { $0.vehicle?.status = "Idling" }, { $0.vehicle?.speed = 41 }, { $0.vehicle?.speed = nil },
            { $0.vehicle?.location = "b" }, { $0.vehicle?.customAddressIcon = "i" },
        ]
        var variants = [old]
        for change in changes {
            var new = old
            change(&new)
            variants.append(new)
        }
        for (left, old) in variants.enumerated() {
            for (right, new) in variants.enumerated() {
                #expect(isSame(old, new) == (left == right), "\(left) and \(right)")
            }
        }
    }

    @Test("An event's title, place, times and instance are content")
    func eventContent() {
        let event = timed("a", "2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z")
        let changes: [(inout Occurrence) -> Void] = [
            { $0.title = "b" }, { $0.location = "b" }, { $0.calendarId = "b" }, { $0.uid = "b" },
            { $0.recurrenceId = .instant(at("2026-11-20T11:00:00Z")) }, { $0.recurrenceId = .date(on("2026-11-20")) },
            { $0.when = .timed(start: at("2026-11-20T11:00:00Z"), end: at("2026-11-20T12:00:01Z")) },
            { $0.when = .allDay(start: on("2026-11-20"), end: on("2026-11-21")) },
        ]
        for change in changes {
            var new = event
            change(&new)
            #expect(!isSame(entry(.start, "2026-11-20T09:00:00Z", event), entry(.start, "2026-11-20T09:00:00Z", new)))
        }
        var lead = event
        lead.preEventLead = .minutes(3)
        #expect(isSame(entry(.start, "2026-11-20T09:00:00Z", event), entry(.start, "2026-11-20T09:00:00Z", lead)))
    }

    @Test("Speed counts in whole km/h, coordinates only without an address and with five decimals")
    func roundedContent() {
        let date = "2026-11-20T10:00:00Z"
        #expect(isSame(status(date) { $0.speed = 39.6 }, status(date) { $0.speed = 40.4 }))
        #expect(!isSame(status(date) { $0.speed = 40.4 }, status(date) { $0.speed = 40.5 }))
        #expect(isSame(status(date) { $0.latitude = 1 }, status(date) { $0.latitude = 2 }))
        let place = { (latitude: Double) in
            var vehicle = bus(.moving, observedAt: date, latitude: latitude, longitude: 7)
            vehicle.registration = "A"
            var made = entry(.status, date)
            made.vehicle = .init(vehicle, status: .moving)
            return made
        }
        #expect(isSame(place(50.000001), place(50.000002)) && !isSame(place(50.00001), place(50.00002)))
        let lone = { (latitude: Double) in
            status(date) { ($0.location, $0.latitude) = (nil, latitude) }
        }
        #expect(isSame(lone(50.000001), lone(50.000002)) && !isSame(lone(50.00001), lone(50.00002)))
    }

    @Test("Two timelines are compared as of the newer one: what has come into force in between is no change")
    func asOfNow() {
        let old = digest([status("2026-11-20T09:00:00Z") { $0.speed = 1 }, status("2026-11-20T09:59:00Z")])
        #expect(old.isSameContent(as: digest([status("2026-11-20T10:00:00Z")]), at: now))
        #expect(!old.isSameContent(as: digest([status("2026-11-20T10:00:00Z")]), at: at("2026-11-20T09:58:00Z")))
        let later = digest([status("2026-11-20T10:00:00Z"), status("2026-11-20T11:00:00Z")])
        let moved = digest([status("2026-11-20T10:00:00Z"), status("2026-11-20T11:00:01Z")])
        #expect(!later.isSameContent(as: moved, at: now))
    }

    @Test("A difference counts as visible only before the older one's due date, anywhere where it has none")
    func visible() {
        let old = [status("2026-11-20T09:00:00Z"), status("2026-11-20T11:00:00Z")]
        let far = [status("2026-11-20T09:00:00Z"), status("2026-11-20T11:00:00Z") { $0.speed = 3 }]
        let near = [status("2026-11-20T09:00:00Z") { $0.speed = 3 }, status("2026-11-20T11:00:00Z")]
        let due = "2026-11-20T11:00:00Z"
        #expect(!digest(old, due: due).isSameContent(as: digest(far), at: now))
        #expect(!digest(old, due: due).isVisibleChange(to: digest(far), at: now))
        #expect(digest(old, due: "2026-11-20T11:00:00.001Z").isVisibleChange(to: digest(far), at: now))
        #expect(digest(old).isVisibleChange(to: digest(far), at: now))
        #expect(digest(old, due: due).isVisibleChange(to: digest(near), at: now))
        // A renewal at its own due date shows time alone.
        #expect(!digest(old, due: "2026-11-20T10:00:00Z").isVisibleChange(to: digest(near), at: now))
        let gone = [status("2026-11-20T09:00:00Z")]
        #expect(digest(old, due: "2026-11-20T12:00:00Z").isVisibleChange(to: digest(gone), at: now))
        #expect(digest(gone, due: "2026-11-20T12:00:00Z").isVisibleChange(to: digest(old), at: now))
        #expect(digest(old, due: due).isVisibleChange(to: digest(old, due: due, kind: "L"), at: now))
    }

    @Test("Digests are the same in every process, and come back from their stored fields")
    func stored() {
        let digest = digest([status("2026-11-20T10:00:00Z")], due: "2026-11-20T11:00:00Z")
        #expect(
            ContentDigest(subject: digest.subject, entries: digest.entries, nextUpdate: digest.nextUpdate) == digest)
        // Reckoned with another program: FNV-1a, 128 bits, of the fields in their order.
        #expect(digest.subject == .init(high: 0x3875090fab8ce530, low: 0xf0d378e174fcd001))
        #expect(digest.entries[0].content == .init(high: 0x2daa831bc5acbbde, low: 0x08151ec5eec11b27))
    }
}
