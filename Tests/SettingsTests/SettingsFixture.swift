import Settings

enum Guarantee: String, CaseIterable {
    case exactlyOnce = "exactly-once"
    case atLeastOnce = "at-least-once"
}

/// A schema with a setting of every type.
enum Keys {
    static let interval = SettingKey(
        "commit.interval", .duration(.seconds(1)...(.seconds(60))), default: .seconds(2), "How often to commit.")
    static let timeout = SettingKey(
        "transaction.timeout", .duration(.seconds(1)...(.seconds(86_400))), default: .seconds(10), "When it ends.")
    static let threads = SettingKey("stream.threads", .integer(1...64), default: 1, "Threads | tasks.")
    static let ratio = SettingKey("sample.ratio", .number(0...1), default: 0.5, "How much to sample.")
    static let scheduled = SettingKey("reload.scheduled", .bool, default: false, "Announces renewals.")
    static let guarantee = SettingKey(
        "processing.guarantee", .choice(Guarantee.self), default: .exactlyOnce, "What a failure may cost.")
    static let bootstrap = SettingKey(
        "bootstrap.servers", .list(of: .string), default: ["localhost:9092"], "Where the brokers are.")
    static let zone = SettingKey("time-zone", .optional(.string), default: nil, "The zone, where one is set.")
    static let password = SettingKey(
        "store.password", .string(allowed: "six letters or more") { $0.count >= 6 }, default: "secret", "Opens it.")

    static let kafka = SettingPrefix("kafka", "Any property of librdkafka.")

    static let schema = SettingsSchema(
        [interval, timeout, threads, ratio, scheduled, guarantee, bootstrap, zone, password],
        prefixes: [kafka],
        rules: [
            SettingsRule(
                "commit.interval must be shorter than transaction.timeout",
                keys: ["commit.interval", "transaction.timeout"]
            ) { $0[Keys.interval] < $0[Keys.timeout] }
        ],
        foreignVariables: ["TIDELINE_TEST_", "TIDELINE_PORT"])
}

func file(_ text: String) -> SettingsSources.File {
    SettingsSources.File(path: "tideline.yaml", text: text)
}

func flag(_ key: String, _ text: String) -> SettingsSources.Flag {
    SettingsSources.Flag(key: key, text: text, flag: "--set")
}

/// The lines of all problems; empty where there are none.
func problems(
    _ sources: SettingsSources, suggest: @escaping SettingsSchema.Suggest = { _, _ in nil }
) -> [String] {
    do throws(SettingsProblems) {
        _ = try Keys.schema.resolve(sources, suggest: suggest)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}
