import Crypto
import Foundation
import Settings
import Sinks

/// The settings of `sink --reloads`.
extension Keys {
    static let apnsKey = SettingKey(
        "apns.key", .optional(.string), default: nil,
        "The file of the key with which pushes are signed, as Apple gives it out (.p8).")
    static let apnsKeyId = SettingKey(
        "apns.key-id", .optional(.appleId), default: nil, "The name of that key at Apple, such as ABC123DEFG.")
    static let apnsTeamId = SettingKey(
        "apns.team-id", .optional(.appleId), default: nil, "The team of the developer account that has the key.")
    static let apnsHost = SettingKey(
        "apns.host",
        .optional(
            .string(allowed: "HOST or HOST:PORT") { host in
                !host.isEmpty && !host.contains(/[\s\/@?#]/) && URLComponents(string: "https://\(host)")?.host != nil
            }), default: nil,
        "Takes all pushes in place of Apple's servers, such as a proxy. Without it each configuration's environment "
            + "decides: api.push.apple.com or api.sandbox.push.apple.com.")
    static let apnsCAFile = SettingKey(
        "apns.ca-file", .optional(.string), default: nil,
        "Certificate authorities in PEM that are trusted for pushes besides the system's.")
    static let apnsPriorityHigh = SettingKey(
        "apns.priority.high", .priority, default: 10,
        "apns-priority of reloads that are requested, or of a changed configuration or status.")
    static let apnsPriorityLow = SettingKey("apns.priority.low", .priority, default: 5, "apns-priority of all others.")
    static let webhookSecret = SettingKey(
        "webhook.secret", .optional(.webhookSecret), default: nil, "Signs what is posted to a webhook.")
    static let webhookSecretFile = SettingKey(
        "webhook.secret-file", .optional(.string), default: nil, "A file that holds webhook.secret, in its place.")
    static let webhookCAFile = SettingKey(
        "webhook.ca-file", .optional(.string), default: nil,
        "Certificate authorities in PEM that are trusted for what is posted to, besides the system's.")
    static let webhookRefusals = SettingKey(
        "webhook.refusals", .integer(0...10_000), default: 20,
        "So many records in a row that are refused with the same 4xx, of more than one configuration or recipient and"
            + " none taken between, are not at fault: the sink waits for who takes them. 0: each is a dead letter.")
    static let reloadsConcurrency = SettingKey(
        "reloads.concurrency", .integer(1...10_000), default: 200,
        "So many pushes or posts are under way at once, at most.")
    static let reloadsTimeout = SettingKey(
        "reloads.timeout", .duration(.seconds(1) ... .seconds(600)), default: .seconds(20),
        "After so long without an answer a push or post is made again.")
    static let reloadsConnectTimeout = SettingKey(
        "reloads.connect.timeout", .duration(.seconds(1) ... .seconds(600)), default: .seconds(10),
        "How long connecting to Apple or the webhook may take.")
    static let reloadsBackoffFirst = SettingKey(
        "reloads.backoff.first", .duration(.seconds(1) ... .seconds(3600)), default: .seconds(1),
        "How long is waited before a second attempt, at most; doubled with each further one.")
    static let reloadsBackoffMax = SettingKey(
        "reloads.backoff.max", .duration(.seconds(1) ... .seconds(86400)), default: .seconds(300),
        "How long is waited between two attempts, at most.")

    static let reloadsGather = SettingKey(
        "reloads.gather", .duration(.zero ... .seconds(60)), default: .seconds(1),
        "How long a device's first reload waits for others that go out with it, as one push; PT0S: not at all.")

    static let reloadsMaxAge = SettingKey(
        "reloads.max-age", .duration(.seconds(60) ... .seconds(2_592_000)), default: .seconds(86_400),
        "Reloads that were announced longer ago are not pushed; a push or post that fails so long makes a dead letter.")

    static let reloadsKeep = SettingKey(
        "reloads.keep", .durationOrOff(.seconds(3600) ... .seconds(3650 * 86_400)), default: .seconds(31 * 86_400),
        "So long rows of reloads stay in the tables of sqlite: and postgres:, counted from issuedAt; older ones are"
            + " removed with each batch. off: for ever.")

    static let reloadSinkKeys: [any SettingDeclaration] = [
        apnsKey, apnsKeyId, apnsTeamId, apnsHost, apnsCAFile, apnsPriorityHigh, apnsPriorityLow, webhookSecret,
        webhookSecretFile, webhookCAFile, webhookRefusals, reloadsConcurrency, reloadsTimeout,
        reloadsConnectTimeout, reloadsBackoffFirst, reloadsBackoffMax, reloadsGather, reloadsMaxAge, reloadsKeep,
    ]
}

extension SettingType<String> {
    fileprivate static let appleIdAllowed = "10 capital letters and digits"

    fileprivate static var appleId: Self {
        .string(allowed: appleIdAllowed) { $0.wholeMatch(of: /[A-Z0-9]{10}/) != nil }
    }

    fileprivate static var webhookSecret: Self {
        .string(allowed: WebhookSecret.allowed) { WebhookSecret($0) != nil }
    }
}

extension SettingType<Int> {
    /// The priorities that Apple knows: 1 spares the battery above all, 5 may wait, 10 goes at once.
    fileprivate static var priority: Self {
        SettingType(
            allowed: "one of 1, 5, 10", choices: ["1", "5", "10"],
            read: { text in ["1", "5", "10"].contains(text) ? Int(text) : nil }, write: { "\($0)" })
    }
}

/// Reads the settings that a sink which sends requires alone, and the files that they name. It goes on behind a
/// problem, so that `problems` has all of them.
struct DeliverySettingsReading {
    private let settings: Settings
    private(set) var problems: [String] = []

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// - Returns: `nil` if something is wrong; `problems` says what.
    mutating func apns(configurationsTopic: String) -> APNsSettings? {
        let key = file(Keys.apnsKey, allowed: "the path of a .p8 file").flatMap { privateKey($0) }
        let keyId = required(Keys.apnsKeyId, allowed: SettingType<String>.appleIdAllowed)
        let teamId = required(Keys.apnsTeamId, allowed: SettingType<String>.appleIdAllowed)
        guard let key, let keyId, let teamId else { return nil }
        var apns = APNsSettings(key: key, keyId: keyId, teamId: teamId, configurationsTopic: configurationsTopic)
        apns.host = settings[Keys.apnsHost]
        apns.priorityHigh = settings[Keys.apnsPriorityHigh]
        apns.priorityLow = settings[Keys.apnsPriorityLow]
        return apns
    }

    /// - Returns: `nil` if something is wrong; `problems` says what.
    mutating func webhook(_ url: WebhookURL) -> WebhookSettings? {
        secret().map { WebhookSettings(url: url, secret: $0) }
    }

    /// Reads what a sink that the settings name has of its own before what is set for all of them.
    ///
    /// - Returns: `nil` if something is wrong; `problems` says what.
    mutating func timelines(_ address: TimelineAddress, of sink: SinkDeclaration?) -> HTTPTimelinesSettings? {
        let own = sink?.http ?? HTTPSinkFields()
        let place = sink.flatMap { $0.isOfSettings ? "sinks.\($0.name)" : nil }
        let hosts = own.hosts ?? settings[Keys.sinkHTTPHosts].compactMap { AllowedHost($0) }
        do throws(TimelineAddress.Problem) {
            try address.check(hosts, of: place)
        } catch {
            problems.append("\(place.map { "\($0).to" } ?? "'--to'") \(error)")
        }
        let batch = own.batch ?? settings[Keys.sinkHTTPBatch]
        if batch > 1, address.namesConfiguration {
            problems.append(
                "sink.http.batch is \(batch), and the address\(place.map { " of \($0)" } ?? "") has {configurationId}:"
                    + " it takes one timeline at a time. Allowed is"
                    + " \(place.map { "batch: 1 in \($0)" } ?? "--set sink.http.batch=1"), or an address without"
                    + " {configurationId}")
        }
        guard let secret = secret(own, place), problems.isEmpty else { return nil }
        var http = HTTPTimelinesSettings(address: address, secret: secret)
        http.hosts = hosts
        http.batch = batch
        if let place {
            if own.secret != nil || own.secretFile != nil { http.names.secret = "\(place).secret" }
            if own.hosts != nil { http.names.hosts = "\(place).hosts" }
        }
        return http
    }

    private mutating func secret(_ own: HTTPSinkFields = HTTPSinkFields(), _ place: String? = nil) -> WebhookSecret? {
        if let secret = own.secret { return secret }
        if let path = own.secretFile, let place { return secret(inFile: path, of: "\(place).secret-file") }
        switch (settings[Keys.webhookSecret], settings[Keys.webhookSecretFile]) {
        case (nil, nil):
            let more = place.map { ", or secret in \($0)" } ?? ""
            problems.append(
                "webhook.secret is missing, allowed is \(WebhookSecret.allowed); or webhook.secret-file, its path"
                    + more)
            return nil
        case (.some, .some):
            problems.append("webhook.secret and webhook.secret-file are both set, allowed is one of them")
            return nil
        case (let text?, nil): return WebhookSecret(text)
        case (nil, let path?): return secret(inFile: path, of: Keys.webhookSecretFile.name)
        }
    }

    private mutating func secret(inFile path: String, of setting: String) -> WebhookSecret? {
        guard let text = text(inFile: path, of: setting, allowed: "the path of a file") else { return nil }
        let secret = WebhookSecret(text.trimmingCharacters(in: .whitespacesAndNewlines))
        if secret == nil { problems.append("\(setting) holds no secret, allowed is \(WebhookSecret.allowed)") }
        return secret
    }

    /// Checks the file of certificate authorities that are trusted besides the system's.
    ///
    /// - Returns: the path of the file; `nil` if none is set or the file cannot be read.
    mutating func authorities(_ setting: SettingKey<String?>) -> String? {
        guard settings[setting] != nil else { return nil }
        guard let text = file(setting, allowed: "the path of a PEM file") else { return nil }
        if !text.contains("-----BEGIN CERTIFICATE-----") {
            problems.append("\(setting.name) names a file without a certificate, allowed is the path of a PEM file")
        }
        return settings[setting]
    }

    private mutating func privateKey(_ text: String) -> P256.Signing.PrivateKey? {
        do throws(CryptoError) {
            return try P256.Signing.PrivateKey(pemRepresentation: text)
        } catch {
            problems.append("apns.key \(error), allowed is the path of a .p8 file as Apple gives it out")
            return nil
        }
    }

    private mutating func required(_ setting: SettingKey<String?>, allowed: String) -> String? {
        if let value = settings[setting] { return value }
        problems.append("\(setting.name) is missing, allowed is \(allowed)")
        return nil
    }

    private mutating func file(_ setting: SettingKey<String?>, allowed: String) -> String? {
        guard let path = settings[setting] else {
            problems.append("\(setting.name) is missing, allowed is \(allowed)")
            return nil
        }
        return text(inFile: path, of: setting.name, allowed: allowed)
    }

    private mutating func text(inFile path: String, of setting: String, allowed: String) -> String? {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            problems.append("\(setting) is '\(path)', which cannot be read, allowed is \(allowed)")
            return nil
        }
    }
}
