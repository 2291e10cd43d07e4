import Settings

// Time-outs that two sides go by: the stream threads and librdkafka, this process and the brokers. Those that
// contradict each other are refused before anything is started.

extension Keys {
    /// The setting that stands for a property of librdkafka, by the property.
    static let settingInPlace = [
        "transaction.timeout.ms": transactionTimeout.name,
        "session.timeout.ms": sessionTimeout.name,
        "group.instance.id": instance.name,
    ]

    static let timeoutRules =
        [
            SettingsRule(
                "a commit interval is at most half the transaction time-out",
                keys: [commitInterval.name, transactionTimeout.name]
            ) { $0[commitInterval] * 2 <= $0[transactionTimeout].milliseconds },
            // Nothing behind an open transaction can be read until it ends.
            SettingsRule(
                "timers wait at least as long as a transaction may be left open",
                keys: [restorePatience.name, transactionTimeout.name]
            ) { $0[restorePatience] >= $0[transactionTimeout] },
            SettingsRule(
                "a session lasts at least three heartbeats", keys: [heartbeat, sessionTimeout.name]
            ) { settings in
                settings.number(ofProperty: heartbeat).map { $0 * 3 <= settings[sessionTimeout].milliseconds } ?? true
            },
            SettingsRule(
                "the time between polls is at least the session time-out", keys: [pollInterval, sessionTimeout.name]
            ) { settings in
                settings.number(ofProperty: pollInterval).map { $0 >= settings[sessionTimeout].milliseconds } ?? true
            },
            // A commit may last as long as its transaction, and nothing is polled meanwhile.
            SettingsRule(
                "the time between polls is longer than a transaction may last",
                keys: [pollInterval, transactionTimeout.name]
            ) { settings in
                settings.number(ofProperty: pollInterval).map { $0 > settings[transactionTimeout].milliseconds } ?? true
            },
        ]
        + deliveries.map { name in
            SettingsRule(
                "a record is delivered or given up before its transaction ends", keys: [name, transactionTimeout.name]
            ) { settings in
                // Zero stands for no end, which a transaction has.
                settings.number(ofProperty: name).map { (1...settings[transactionTimeout].milliseconds).contains($0) }
                    ?? true
            }
        }

    private static let heartbeat = "kafka.heartbeat.interval.ms"
    private static let pollInterval = "kafka.max.poll.interval.ms"
    /// Two names of one property.
    private static let deliveries = ["kafka.message.timeout.ms", "kafka.delivery.timeout.ms"]
}

extension Settings {
    /// The number that a property of librdkafka is set to; `nil` if nobody set it to a number.
    func number(ofProperty key: String) -> Int? {
        values(under: Keys.kafka).first { "\(Keys.kafka.name).\($0.name)" == key }.flatMap { Int($0.value.description) }
    }

    /// Milliseconds between heartbeats, by which survivors learn of a rebalance: half a second, or a third of a short
    /// session.
    var heartbeatInterval: Int { min(500, self[Keys.sessionTimeout].milliseconds / 3) }

    /// How many milliseconds a consumer may be without a poll: more than a session or a commit lasts.
    var pollInterval: Int {
        max(300_000, self[Keys.sessionTimeout].milliseconds, self[Keys.transactionTimeout].milliseconds + 60_000)
    }
}
