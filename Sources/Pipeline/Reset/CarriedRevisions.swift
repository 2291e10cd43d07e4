import Messages
import StreamCore
package import Timelines

/// The revisions that readers of `timelines` have seen of each configuration, for state that begins anew above them.
///
/// They are noted from two places: from the state that is given up, which also knows of configurations that were
/// deleted, and from `timelines`, which is still there when the state has gone. The highest counts. One thread
/// owns it.
package final class CarriedRevisions {
    private var revisions: [[UInt8]: Revision] = [:]
    /// Configurations whose newest record in `timelines` is a timeline.
    private var published: Set<[UInt8]> = []
    private var parser = JSONParser()
    /// Records of the two topics that cannot be read.
    package private(set) var unreadable = 0

    package init() {}

    package var count: Int { revisions.count }

    /// The highest of all; 0 if there is none.
    package var highest: Revision { revisions.values.max() ?? 0 }

    /// Each configuration's id, in UTF-8, with its revision and whether a timeline of it is there, ascending by id.
    var sorted: [(configurationId: [UInt8], revision: Revision, isPublished: Bool)] {
        revisions.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { ($0.key, $0.value, published.contains($0.key)) }
    }

    /// Notes a record of `timelines`, in their order. After a tombstone the revision stays (T6).
    package func note(timeline key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?) {
        guard let key = key.map({ Array($0) }) else { return }
        guard let value else {
            published.remove(key)
            return
        }
        do throws(MessageProblem) {
            note(key, try TimelineRecord.revision(in: ConfluentFraming.skipped(value), with: &parser))
            published.insert(key)
        } catch {
            unreadable += 1
        }
    }

    /// Notes a record of the changelog. Those of other stores say nothing.
    package func note(changelog key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?) {
        guard let key, let value, let store = key.first,
            store & ~StateFormat.versionedKey == StoreName<ConfigurationState>.configurations.number
        else { return }
        do throws(CorruptBytes) {
            var reader = ByteReader(value)
            // What a later release wrote behind the fields that are known is passed over, as after any restore.
            if store & StateFormat.versionedKey != 0 { _ = try reader.byte() }
            let state = try ConfigurationState(from: &reader)
            note(Array(key.dropFirst()), state.history.revision)
        } catch {
            unreadable += 1
        }
    }

    private func note(_ configurationId: [UInt8], _ revision: Revision) {
        // Before the first timeline there is nothing to go on from.
        if revision > 0 { revisions[configurationId] = max(revision, revisions[configurationId] ?? 0) }
    }
}
