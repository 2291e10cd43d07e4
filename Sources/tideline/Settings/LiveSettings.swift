import Settings
import Synchronization

/// The settings in force. Those of `names` may change while the program runs. Any thread.
final class LiveSettings: Sendable {
    private struct State {
        var settings: Settings
        var followers: [@Sendable (Settings) -> Void] = []
    }

    private let state: Mutex<State>

    /// The settings that somebody follows, but for the level of the log and `health.lag`.
    static let names = [
        Keys.commitInterval.name, Keys.visibleCommitInterval.name, Keys.restorePatience.name,
        Keys.reloadsConcurrency.name, Keys.reloadsGather.name, Keys.reloadsBackoffFirst.name,
        Keys.reloadsBackoffMax.name, Keys.reloadsMaxAge.name, Keys.sinkHTTPConcurrency.name,
        Keys.sinkHTTPBackoffFirst.name, Keys.sinkHTTPBackoffMax.name, Keys.sinkHTTPMaxAge.name,
        Keys.webhookRefusals.name,
        Keys.tracingSampler.name, Keys.tracingRatio.name,
    ]

    init(_ settings: Settings) { state = Mutex(State(settings: settings)) }

    var current: Settings { state.withLock { $0.settings } }

    /// Calls `body` with the settings now, and each time they change.
    func follow(_ body: @escaping @Sendable (Settings) -> Void) {
        let settings = state.withLock { state in
            state.followers.append(body)
            return state.settings
        }
        body(settings)
    }

    /// The same settings again change nothing.
    func take(_ settings: Settings) {
        let followers = state.withLock { state in
            state.settings = settings
            return state.followers
        }
        for follower in followers { follower(settings) }
    }
}

/// What is made of settings that may change while the program runs. Any thread.
final class LiveValue<Value: Sendable>: Sendable {
    private let current: Mutex<Value>

    /// - Parameter make: called at once, and each time the settings change.
    init(_ live: LiveSettings, _ make: @escaping @Sendable (Settings) -> Value) {
        current = Mutex(make(live.current))
        live.follow { [weak self] settings in
            let value = make(settings)
            self?.current.withLock { $0 = value }
        }
    }

    var value: Value { current.withLock { $0 } }
}

/// The value of a setting that may change while the program runs. Any thread.
final class LiveSetting<Value: Sendable>: Sendable {
    private let key: SettingKey<Value>
    private let current: Mutex<Value>

    init(_ key: SettingKey<Value>, _ settings: Settings) {
        self.key = key
        current = Mutex(settings[key])
    }

    var value: Value { current.withLock { $0 } }

    func take(from settings: Settings) { current.withLock { $0 = settings[key] } }
}
