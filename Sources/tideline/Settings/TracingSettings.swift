import Foundation
import HTTPClient
import Settings
import TraceExport
import Tracing

/// The settings of traces.
extension Keys {
    static let tracingEndpoint = SettingKey(
        "tracing.endpoint", .optional(.collector), default: nil,
        "The collector that takes spans as OTLP over HTTP in JSON, such as http://localhost:4318; /v1/traces is put"
            + " behind it. Empty: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT; without them"
            + " nothing is traced.")
    static let tracingHeaders = SettingKey(
        "tracing.headers", .optional(.headerList), default: nil,
        "Headers of requests to the collector: NAME=VALUE, separated by commas. Empty: OTEL_EXPORTER_OTLP_HEADERS.")
    static let tracingService = SettingKey(
        "tracing.service", .optional(.string), default: nil,
        "The service.name of spans. Empty: OTEL_SERVICE_NAME, else tideline.")
    static let tracingSampler = SettingKey(
        "tracing.sampler", .optional(.choice(TraceSampler.Name.self)), default: nil,
        "Which traces are recorded, by the names of OTEL_TRACES_SAMPLER. Empty: that variable, else"
            + " parentbased_always_on: those that a record's traceparent says are recorded, and all that begin here.")
    static let tracingRatio = SettingKey(
        "tracing.ratio", .optional(.number(0...1)), default: nil,
        "The part of traces that samplers by ratio record. Empty: OTEL_TRACES_SAMPLER_ARG, else 1.")

    static let tracingKeys: [any SettingDeclaration] = [
        tracingEndpoint, tracingHeaders, tracingService, tracingSampler, tracingRatio,
    ]
}

extension SettingType<String> {
    /// The address of a collector.
    fileprivate static var collector: Self {
        .string(allowed: "an address that begins with http:// or https://", where: TracingPlan.isAddress)
    }

    fileprivate static var headerList: Self {
        .string(allowed: "NAME=VALUE, separated by commas") { TracingPlan.pairs($0) != nil }
    }
}

/// Where spans go and which are made, by the settings, and by OpenTelemetry's variables where these are silent.
struct TracingPlan {
    var endpoint: String
    var headers: [HTTPHeader]
    var resource: SpanAttributes
    /// What a variable asks for and is not done, in a sentence; `nil` if all is done.
    var remark: String?

    /// - Returns: `nil` if no endpoint is set, or tracing is switched off.
    /// - Throws: with status 64, naming the variables that are wrong.
    init?(_ settings: Settings, _ variables: [String: String], instance: String) throws(CommandFailure) {
        var reading = VariableReading(variables)
        let isOff =
            reading["OTEL_SDK_DISABLED"]?.lowercased() == "true" || reading["OTEL_TRACES_EXPORTER"] == "none"
        if isOff, settings[Keys.tracingEndpoint] == nil { return nil }
        let endpoint: String? =
            if let own = settings[Keys.tracingEndpoint] { Self.tracesPath(of: own) } else {
                reading.address("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
                    ?? reading.address("OTEL_EXPORTER_OTLP_ENDPOINT").map(Self.tracesPath)
            }
        // Without an endpoint the other variables are somebody else's.
        if endpoint == nil, reading.problems.isEmpty { return nil }
        let headers =
            settings[Keys.tracingHeaders].flatMap(Self.pairs)
            ?? reading.pairs("OTEL_EXPORTER_OTLP_TRACES_HEADERS") ?? reading.pairs("OTEL_EXPORTER_OTLP_HEADERS") ?? []
        let attributes = reading.pairs("OTEL_RESOURCE_ATTRIBUTES") ?? []
        if !reading.problems.isEmpty { throw CommandFailure(.usage, reading.problems.joined(separator: "\n")) }
        guard let endpoint else { return nil }
        self.endpoint = endpoint
        self.headers = headers.map { HTTPHeader($0.name, $0.value) }
        resource = ["service.name": "tideline", "service.instance.id": .string(instance)]
        for (name, value) in attributes { resource[name] = .string(value) }
        if let name = settings[Keys.tracingService] ?? reading["OTEL_SERVICE_NAME"] {
            resource["service.name"] = .string(name)
        }
        let protocolName = reading["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] ?? reading["OTEL_EXPORTER_OTLP_PROTOCOL"]
        if let protocolName, protocolName != "http/json" {
            remark = "OTEL_EXPORTER_OTLP_PROTOCOL asks for \(protocolName); spans are sent as http/json all the same"
        }
    }

    /// - Throws: with status 64 if a variable is wrong.
    static func sampler(_ settings: Settings, _ variables: [String: String]) throws(CommandFailure) -> TraceSampler {
        var reading = VariableReading(variables)
        let names = TraceSampler.Name.allCases.map(\.rawValue)
        let name =
            settings[Keys.tracingSampler]
            ?? reading.choice("OTEL_TRACES_SAMPLER", names).flatMap { TraceSampler.Name(rawValue: $0) }
        let ratio = settings[Keys.tracingRatio] ?? reading.ratio("OTEL_TRACES_SAMPLER_ARG")
        if !reading.problems.isEmpty { throw CommandFailure(.usage, reading.problems.joined(separator: "\n")) }
        return TraceSampler(name ?? .parentBasedAlwaysOn, ratio: ratio ?? 1)
    }

    private static func tracesPath(of address: String) -> String {
        address + (address.hasSuffix("/") ? "v1/traces" : "/v1/traces")
    }

    static func isAddress(_ text: String) -> Bool {
        guard let url = URLComponents(string: text), let host = url.host else { return false }
        return ["http", "https"].contains(url.scheme) && !host.isEmpty
    }

    /// Reads `NAME=VALUE,NAME=VALUE`, values with percents decoded; `nil` if it is none.
    static func pairs(_ text: String) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in text.split(separator: ",") {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard words.count == 2, !words[0].isEmpty, let value = words[1].removingPercentEncoding,
                !(words[0] + value).contains(where: \.isNewline)
            else { return nil }
            pairs.append((words[0], value))
        }
        return pairs
    }
}

/// Reads OpenTelemetry's variables, and goes on behind a problem. An empty one counts as none.
private struct VariableReading {
    private let variables: [String: String]
    private(set) var problems: [String] = []

    init(_ variables: [String: String]) { self.variables = variables }

    subscript(name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    mutating func choice(_ name: String, _ names: [String]) -> String? {
        checked(name, "one of \(names.joined(separator: ", "))") { text in names.contains(text) ? text : nil }
    }

    mutating func address(_ name: String) -> String? {
        checked(name, "an address that begins with http:// or https://") { TracingPlan.isAddress($0) ? $0 : nil }
    }

    mutating func ratio(_ name: String) -> Double? {
        checked(name, "a number from 0 to 1") { text in
            Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
        }
    }

    mutating func pairs(_ name: String) -> [(name: String, value: String)]? {
        checked(name, "NAME=VALUE, separated by commas", TracingPlan.pairs)
    }

    private mutating func checked<Value>(_ name: String, _ allowed: String, _ read: (String) -> Value?) -> Value? {
        guard let text = self[name] else { return nil }
        if let value = read(text) { return value }
        // A header may be a secret.
        let shown = name.hasSuffix("_HEADERS") ? "********" : text
        problems.append("\(name) is '\(shown)', allowed is \(allowed)")
        return nil
    }
}
