import Arguments
import Foundation
import RdKafka
import Settings
import Timelines

/// The options of every verb that meets Kafka.
struct KafkaOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The brokers to begin with.", valueName: "host:port,…")) var bootstrap: String?
    @Option(help: ArgumentHelp("The consumer group and the prefix of internal topics.", valueName: "id"))
    var application: String?
    @Option(help: ArgumentHelp("Put before the name of every topic.", valueName: "x")) var topicPrefix: String?
    @Option(help: ArgumentHelp("Settings in YAML.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Any setting, such as commit.interval.ms=200.", valueName: "key=value"))
    var settings: [KeyValueArgument] = []

    /// Reads all settings: flags, then the environment, then the file, then defaults.
    ///
    /// - Parameter more: the flags of the verb that are settings, too.
    func resolve(with more: [SettingsSources.Flag] = []) throws(CommandFailure) -> Settings {
        try Settings.resolved(flags: flags(with: more), config: config)
    }

    /// All flags that are settings.
    func flags(with more: [SettingsSources.Flag]) -> [SettingsSources.Flag] {
        var flags: [SettingsSources.Flag] = settings.map { .init(key: $0.key, text: $0.value, flag: "--set") } + more
        let named = [
            (Keys.bootstrap.name, bootstrap, "--bootstrap"), (Keys.application.name, application, "--application"),
            (Keys.topicPrefix.name, topicPrefix, "--topic-prefix"),
        ]
        for (key, value, flag) in named {
            if let value { flags.append(.init(key: key, text: value, flag: flag)) }
        }
        return flags
    }
}

extension Settings {
    /// Reads all settings: flags, then the environment, then the file `config`, then defaults.
    ///
    /// - Throws: with status 64, naming everything that is wrong.
    static func resolved(
        flags: [SettingsSources.Flag] = [], config: String?
    ) throws(CommandFailure) -> Settings {
        var file: SettingsSources.File?
        if let config {
            do {
                file = .init(path: config, text: try String(contentsOfFile: config, encoding: .utf8))
            } catch {
                throw CommandFailure(.usage, "--config: cannot read \(config): \(reason(for: error))")
            }
        }
        let sources = SettingsSources(flags: flags, environment: ProcessInfo.processInfo.environment, file: file)
        do throws(SettingsProblems) {
            return try Keys.schema.resolve(
                sources, suggest: { nearestName(to: $0, among: $1) }, checkFree: Self.problem)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
    }

    /// What the system says of a file that cannot be read, where Foundation has a sentence of its own.
    private static func reason(for error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadInapplicableStringEncoding?: return "it is not UTF-8"
        default:
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            guard let cause, cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
            return String(cString: strerror(Int32(cause.code)))
        }
    }

    /// Asks librdkafka about one of its properties, so that its problem stands among all others.
    private static func problem(key: String, text: String) -> String? {
        let isOfSink = key.hasPrefix("\(Keys.sinkKafka.name).")
        let property = String(key.dropFirst((isOfSink ? Keys.sinkKafka : Keys.kafka).name.count + 1))
        if !isOfSink, let setting = Keys.settingInPlace[property] {
            return "say \(setting): librdkafka and the stream threads must go by the same value"
        }
        return RdKafkaSettings.problem(with: property, text)?.reason
    }
}
