import Arguments
import Settings

/// The settings of metrics and health.
extension Keys {
    static let metricsListen = SettingKey(
        "metrics.listen", .optional(.listenAddress), default: nil,
        "The address at which a process that runs on serves /metrics and /health; each process of a machine has its"
            + " own. Port 0 takes a free one. Nobody is asked for a token there.")
    static let healthLag = SettingKey(
        "health.lag", .duration(.seconds(1) ... .seconds(86_400)), default: .seconds(60),
        "/health/ready says no where a topic or a sink is further behind than this, or a sink has done nothing for so"
            + " long while records wait.")

    static let monitoringKeys: [any SettingDeclaration] = [metricsListen, healthLag]
}

/// The option of every verb that runs on.
struct MonitoringOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve /metrics (OpenMetrics) and /health there, such as 127.0.0.1:9464.", valueName: "host:port"))
    var metrics: String?

    /// The settings that the option stands for.
    var flags: [SettingsSources.Flag] {
        metrics.map { [SettingsSources.Flag(key: Keys.metricsListen.name, text: $0, flag: "--metrics")] } ?? []
    }
}
