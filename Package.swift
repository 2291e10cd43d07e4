// swift-tools-version: 6.3
import PackageDescription

/// Every Swift target is held to the same rules: Swift 6 mode, warnings are errors, and a file's imports show what
/// leaks into its interface.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// For the modules that each record goes through: a release does not check at run time that accesses to a variable do
/// not overlap, which costs a tenth of what a record costs. Tests are built for debugging, and check it. Modules of the
/// library products have no such flag, because a package with one cannot be depended on by version.
let hot = strict + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = strict
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// In place of the system's malloc: librdkafka's threads free what a stream thread allocates.
let mimalloc = LinkerSetting.linkedLibrary("mimalloc", .when(platforms: [.linux]))

/// librdkafka itself goes into the program, for one of its functions is replaced (Sources/CRdKafka/Sleep.c); what it
/// needs stays shared.
let rdkafka =
    [":librdkafka.a", "lz4", "zstd", "sasl2", "ssl", "crypto", "z"].map { LinkerSetting.linkedLibrary($0) }
    + [.unsafeFlags(["-Xlinker", "--wrap=rd_kafka_timers_next"])]

/// One module per row of the table in DESIGN.md; the arrows there are the dependencies here.
let package = Package(
    name: "tideline",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .executable(name: "tideline", targets: ["tideline"]),
        // Strategies, schedules and their rules for other programs; Examples/Schedules uses it.
        .library(name: "Timelines", targets: ["Timelines"]),
        // Timelines and readers' positions in an app: Linux, iOS 16, macOS 13. Examples/Reader uses it.
        .library(name: "TidelineClient", targets: ["TidelineClient"]),
    ],
    targets: [
        // C and C++ libraries: a module map or a small shim each. CRdKafka also replaces a function, and CSimdjson reads
        // plain telemetry.
        .target(name: "CRdKafka", linkerSettings: rdkafka),
        // Tests alone hold our own reckoning of zones against it.
        .systemLibrary(name: "CIcal", pkgConfig: "libical", providers: [.apt(["libical-dev"])]),
        .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CPrefetch"),
        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd")]),
        // schemas/openapi.json inside the program.
        .target(name: "COpenAPI"),
        .systemLibrary(name: "CJWT", pkgConfig: "libjwt", providers: [.apt(["libjwt-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        // Below all others.
        module("Times"),
        module("SQLite", ["CSQLite"]),
        module("Postgres", ["CPostgres"]),
        module("Redis", ["CHiredis"]),
        module("Metrics"),
        module("Tracing"),

        // Streams.
        module("SplitMix"),
        module("RecordLog", ["Times"], settings: hot),
        module("RdKafka", ["CRdKafka", "RecordLog"], settings: hot),
        module("StreamCore", ["CPrefetch", "RecordLog", "Tracing"], settings: hot),
        module("StreamRuntime", ["StreamCore", "RecordLog", "Metrics", "Tracing"], settings: hot),
        module("Simulation", ["StreamRuntime", "StreamCore", "RecordLog"]),

        // Timelines.
        module("Timelines", ["Times"]),
        module("Agendas", ["Timelines"]),
        module("Positions", ["Timelines"]),
        module("Messages", ["Timelines", "Agendas", "Positions", "CSimdjson"], settings: hot),
        module(
            "Pipeline", ["Messages", "StreamCore", "Agendas", "Timelines", "Positions", "RecordLog"], settings: hot),

        // Deterministic simulation: what a seed draws, its runs and their judges.
        module(
            "Seeds",
            [
                "Simulation", "StreamRuntime", "StreamCore", "RecordLog", "SplitMix", "Pipeline", "Messages",
                "Timelines", "Agendas", "Positions",
            ]),
        .executableTarget(name: "simulate", dependencies: ["Seeds", "Arguments"], swiftSettings: strict),

        // Edges.
        module("HTTPClient", ["CCurl"]),
        module("Crypto", ["COpenSSL"]),
        module("TraceExport", ["Tracing", "HTTPClient"]),
        module(
            "Sinks",
            ["Messages", "RecordLog", "HTTPClient", "Crypto", "Timelines", "SQLite", "Postgres", "Redis", "Tracing"]),
        module("Inspection", ["Messages", "RecordLog", "Agendas", "Timelines"]),
        module("Producers", ["Messages", "RecordLog", "Agendas", "Timelines", "Positions", "SplitMix", "CZlib"]),
        module("Preview", ["Messages", "Producers", "Agendas", "Timelines"]),
        module("HTTPServer", ["CMicroHTTPD", "CZlib"]),
        module("Access", ["CJWT", "COpenSSL", "Crypto"]),
        module(
            "Gateway",
            [
                "Messages", "RecordLog", "HTTPServer", "Access", "Crypto", "Positions", "Agendas", "Timelines",
                "SQLite",
                "COpenAPI",
            ]),
        module("TidelineClient", ["Positions", "Timelines"]),
        module("Diagnosis", ["RecordLog"]),
        module("Observability"),
        module("Arguments"),
        module("Settings", ["CYaml"]),
        .executableTarget(
            name: "tideline",
            dependencies: [
                "RecordLog", "RdKafka", "StreamCore", "StreamRuntime", "Timelines", "Agendas", "Messages", "Pipeline",
                "Positions", "Sinks", "Postgres", "HTTPClient", "Crypto", "Producers", "Preview", "HTTPServer",
                "Access", "Gateway",
                "Observability", "Arguments", "Settings", "SplitMix", "Metrics", "Inspection", "Diagnosis", "Tracing",
                "TraceExport", "Redis",
            ],
            swiftSettings: strict,
            linkerSettings: [mimalloc]),

        // The example is a package of its own; here it is built again so that acceptance tests can run and kill it.
        .executableTarget(
            name: "reader", dependencies: ["TidelineClient"], path: "Examples/Reader/Sources/reader",
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

        // Benchmarks, each a program of its own: `make benchmark`.
        .executableTarget(
            name: "timelines-benchmark", dependencies: ["Timelines", "Messages"], path: "Benchmarks/Timelines",
            swiftSettings: strict),
        .executableTarget(
            name: "agendas-benchmark", dependencies: ["Agendas", "Timelines"], path: "Benchmarks/Agendas",
            swiftSettings: strict),
        .executableTarget(
            name: "day-benchmark", dependencies: ["SimulatedDays"], path: "Benchmarks/Day", swiftSettings: strict,
            linkerSettings: [mimalloc]),
        .executableTarget(
            name: "memory-benchmark", dependencies: ["SimulatedDays", "RecordLog"], path: "Benchmarks/Memory",
            swiftSettings: strict, linkerSettings: [mimalloc]),
        .target(
            name: "SimulatedDays",
            dependencies: ["Pipeline", "Messages", "StreamCore", "RecordLog", "Timelines", "SplitMix"],
            path: "Benchmarks/SimulatedDays", swiftSettings: strict),
        .executableTarget(
            name: "serve-benchmark", dependencies: ["HTTPServer", "RdKafka", "RecordLog", "CEpoll"],
            path: "Benchmarks/Serve", swiftSettings: strict),
        .systemLibrary(name: "CEpoll", path: "Benchmarks/CEpoll"),
        .target(
            name: "CountedPipelines", dependencies: ["Pipeline", "Messages", "StreamCore", "RecordLog", "Timelines"],
            path: "Benchmarks/CountedPipelines", swiftSettings: strict),
        // Instructions and allocations, under callgrind: `make counts`.
        .executableTarget(
            name: "counts-benchmark", dependencies: ["CountedPipelines"], path: "Benchmarks/Counts",
            exclude: ["thresholds"], swiftSettings: strict),
        .executableTarget(
            name: "threads-benchmark", dependencies: ["CountedPipelines"], path: "Benchmarks/Threads",
            swiftSettings: strict, linkerSettings: [mimalloc]),
        .executableTarget(
            name: "timers-benchmark", dependencies: ["StreamCore", "RecordLog", "SimulatedDays", "SplitMix"],
            path: "Benchmarks/Timers",
            swiftSettings: strict),

        .executableTarget(
            name: "sinks-benchmark",
            dependencies: [
                "Sinks", "SQLite", "Postgres", "Redis", "Messages", "RecordLog", "Timelines", "HTTPClient",
                "Simulation",
                "TestSupport",
            ],
            path: "Benchmarks/Sinks", swiftSettings: strict),

        // Faults of real processes on real brokers: `make chaos`.
        .target(
            name: "FaultInjection", dependencies: ["RdKafka", "RecordLog", "SplitMix", "TestSupport"],
            path: "Faults/FaultInjection", swiftSettings: strict),
        .executableTarget(
            name: "chaos", dependencies: ["FaultInjection", "Arguments", "TestSupport"], path: "Faults/Chaos",
            swiftSettings: strict),

        // All that falls due at once, on a real broker: `make storm`.
        .executableTarget(
            name: "storm-benchmark", dependencies: ["FaultInjection", "RdKafka", "RecordLog", "TestSupport"],
            path: "Benchmarks/Storm", swiftSettings: strict),

        // Tests, one target per module, and the ones that run the program on a real broker.
        tests("TimesTests", ["Times", "TestSupport"]),
        tests("MetricsTests", ["Metrics", "TestSupport"]),
        tests("TracingTests", ["Tracing"]),
        tests("TraceExportTests", ["TraceExport", "Tracing", "HTTPClient", "TestSupport"]),
        tests("RecordLogTests", ["RecordLog", "Simulation"]),
        tests("RdKafkaTests", ["RdKafka", "CRdKafka", "RecordLog", "TestSupport"]),
        tests("StreamCoreTests", ["StreamCore", "RecordLog", "TestSupport"]),
        tests(
            "StreamRuntimeTests",
            [
                "StreamRuntime", "StreamCore", "RecordLog", "Simulation", "SplitMix", "RdKafka", "Metrics",
                "TestSupport",
            ]),
        tests("SimulationTests", ["Simulation", "RecordLog", "SplitMix"]),
        tests(
            "SeedsTests",
            [
                "Seeds", "Simulation", "StreamRuntime", "StreamCore", "RecordLog", "Messages", "Timelines", "SplitMix",
                "TestSupport", "simulate",
            ]),
        tests("TimelinesTests", ["Timelines", "TestSupport"]),
        tests("AgendasTests", ["Agendas", "Timelines", "CIcal", "TestSupport"], exclude: ["Oracle", "Corpus"]),
        tests("PositionsTests", ["Positions", "Timelines", "SplitMix", "TestSupport"]),
        tests("HTTPServerTests", ["HTTPServer", "TestSupport"]),
        tests("AccessTests", ["Access", "Crypto", "TestSupport"]),
        tests(
            "GatewayTests",
            [
                "Gateway", "HTTPServer", "Access", "Crypto", "Messages", "Positions", "Timelines", "RecordLog",
                "Simulation", "SQLite", "TestSupport",
            ]),
        tests("TidelineClientTests", ["TidelineClient", "Positions", "Timelines", "TestSupport"]),
        tests("MessagesTests", ["Messages", "Timelines", "Positions", "Agendas", "TestSupport"]),
        tests(
            "PipelineTests",
            [
                "Pipeline", "StreamRuntime", "StreamCore", "RecordLog", "Simulation", "Messages", "Timelines",
                "Positions", "Agendas", "Preview", "RdKafka", "TestSupport", "SimulatedDays", "Seeds", "Tracing",
            ], exclude: ["StoredForms"]),
        tests("SimulatedDaysTests", ["SimulatedDays", "Messages", "RecordLog", "Timelines"]),
        tests("HTTPClientTests", ["HTTPClient", "Crypto", "TestSupport"]),
        tests(
            "SinksTests",
            [
                "Sinks", "HTTPClient", "Crypto", "RecordLog", "Messages", "Simulation", "Timelines", "TestSupport",
                "SQLite", "Postgres", "Redis", "SplitMix", "CIcal",
            ]),
        tests(
            "ProducersTests",
            ["Producers", "RecordLog", "Messages", "Timelines", "Positions", "Agendas", "Simulation"]),
        tests("InspectionTests", ["Inspection", "Messages", "RecordLog", "Timelines"]),
        tests("PreviewTests", ["Preview", "Messages", "Timelines", "Producers", "TestSupport", "tideline"]),
        tests("DiagnosisTests", ["Diagnosis", "RecordLog"]),
        tests("ObservabilityTests", ["Observability"]),
        tests("ArgumentsTests", ["Arguments"]),
        tests("SettingsTests", ["Settings"]),
        tests("ProjectTests", ["TestSupport"]),
        tests("FaultInjectionTests", ["FaultInjection", "TestSupport"]),
        tests(
            "ReferenceTests",
            ["Timelines", "Messages", "Preview", "Settings", "Metrics", "TestSupport", "tideline"]),
        tests(
            "AcceptanceTests",
            [
                "TestSupport", "RdKafka", "RecordLog", "Messages", "Timelines", "TidelineClient", "Metrics",
                "Observability", "HTTPServer", "Arguments", "Inspection",
                "SQLite", "Redis", "Settings", "Simulation", "StreamRuntime", "FaultInjection", "tideline", "reader",
            ],
            exclude: ["Oracle"]),
        .target(
            name: "TestSupport", dependencies: ["RecordLog", "SplitMix", "Timelines"], path: "Tests/TestSupport",
            exclude: ["PushServer"],
            swiftSettings: strict),
    ],
    cxxLanguageStandard: .cxx17
)
