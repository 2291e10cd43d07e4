import Crypto
import Messages
import RecordLog
import Timelines

/// The registrations of the configurations, and which of them are retired. A registration is a token with its topic and
/// environment, for a token that is wrong with one of them may be right with another.
///
/// A registration is retired as of a moment. A configuration record that names it and is newer makes it valid again; so
/// one that no configuration names needs no keeping, for whatever names it later is newer.
struct PushTokens {
    private struct Configuration {
        var push: PushRegistration
        /// When the record was made.
        var timestamp: Instant
    }

    private struct Registration {
        /// Names it in the ledger: tokens are written nowhere.
        let digest: String
        /// The configurations that name it.
        var configurations: Set<String> = []
        /// The timestamp of the newest record that named it.
        var newest = Instant.distantPast
        var retiredAt: Instant?
    }

    private var configurations = TextDictionary<Configuration>()
    private var registrations: [PushRegistration: Registration] = [:]
    /// The retirements that the ledger kept and no configuration has named yet, by digest.
    private var restored: [String: Instant] = [:]
    private var unnamed: Set<PushRegistration> = []
    private var changes: [String: [UInt8]?] = [:]

    // MARK: - Configurations

    mutating func register(_ id: String, _ push: PushRegistration, timestamp: Instant) {
        if let old = configurations[id], old.push != push { forget(id, old.push) }
        configurations[id] = Configuration(push: push, timestamp: timestamp)
        var registration = registrations[push] ?? makeRegistration(push)
        registration.configurations.insert(id)
        registration.newest = max(registration.newest, timestamp)
        if let retiredAt = registration.retiredAt, timestamp > retiredAt {
            registration.retiredAt = nil
            changes[registration.digest] = .some(nil)
        }
        registrations[push] = registration
        unnamed.remove(push)
    }

    mutating func remove(_ id: String) {
        guard let old = configurations.removeValue(for: id) else { return }
        forget(id, old.push)
    }

    private mutating func makeRegistration(_ push: PushRegistration) -> Registration {
        // None of the three has a blank in it.
        let text = "\(push.token) \(push.topic) \(push.environment.rawValue)"
        var registration = Registration(digest: SHA256.hash(Array(text.utf8)).hexadecimal)
        registration.retiredAt = restored.removeValue(forKey: registration.digest)
        return registration
    }

    private mutating func forget(_ id: String, _ push: PushRegistration) {
        registrations[push]?.configurations.remove(id)
        if registrations[push]?.configurations.isEmpty == true { unnamed.insert(push) }
    }

    /// All partitions of the configurations have been read to one moment: what nobody names by then is forgotten.
    mutating func forgetUnnamed() {
        for push in unnamed {
            guard let registration = registrations.removeValue(forKey: push), registration.retiredAt != nil else {
                continue
            }
            changes[registration.digest] = .some(nil)
        }
        unnamed.removeAll()
        for digest in restored.keys { changes[digest] = .some(nil) }
        restored.removeAll()
    }

    /// Returns `nil` if the configuration is unknown, or has no `push` that can be used.
    func registration(of id: String) -> PushRegistration? { configurations[id]?.push }

    /// True if a configuration names it, and it is not retired.
    func isValid(_ push: PushRegistration) -> Bool {
        registrations[push].map { !$0.configurations.isEmpty && $0.retiredAt == nil } ?? false
    }

    // MARK: - Retirement

    /// - Parameter moment: `nil` is that of the newest record that names it.
    /// - Returns: the configurations that name it, ascending; `nil` if a newer one keeps it valid, or none
    ///   names it.
    mutating func retire(_ push: PushRegistration, asOf moment: Instant?) -> [String]? {
        guard var registration = registrations[push], !registration.configurations.isEmpty else { return nil }
        let moment = moment ?? registration.newest
        guard registration.newest <= moment else { return nil }
        registration.retiredAt = moment
        registrations[push] = registration
        changes[registration.digest] = Array(String(moment.milliseconds).utf8)
        return registration.configurations.sorted()
    }

    // MARK: - The ledger

    private static let prefix = "retired/"

    /// Before the first `register`.
    mutating func restore(_ key: String, _ value: [UInt8]) {
        guard key.hasPrefix(Self.prefix), let moment = Int64(String(decoding: value, as: UTF8.self)) else { return }
        restored[String(key.dropFirst(Self.prefix.count))] = Instant(milliseconds: moment)
    }

    /// Gives the changes since the last call, ascending by key.
    mutating func removeChanges() -> [(key: String, value: [UInt8]?)] {
        defer { changes.removeAll() }
        return changes.sorted { $0.key < $1.key }.map { (Self.prefix + $0.key, $0.value) }
    }
}
