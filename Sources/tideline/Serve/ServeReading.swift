import Access
import Foundation
import Gateway
import HTTPServer
import Messages
import Pipeline
import Positions
import Settings

/// Reads the settings that the server alone requires, and the files that they name. It goes on behind a problem, so
/// that `problems` has all of them.
struct ServeReading {
    private let settings: Settings
    private(set) var problems: [String] = []

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// The credentials that are accepted; `nil` if something is wrong.
    mutating func access() -> (settings: AccessSettings, authenticator: Authenticator)? {
        let before = problems.count
        let access = AccessSettings(tokens: settings[Keys.serveTokens], jwt: jwt())
        if access.isOpen, settings[Keys.serveCORS].contains("*") {
            problems.append(
                "serve.cors: * would let every page that is visited on this machine read all; name the origins, or set "
                    + "serve.tokens or serve.jwt")
        }
        guard problems.count == before else { return nil }
        do throws(AccessError) {
            if let refusal = Loopback.refusal(of: settings[Keys.serveListen].host, access) { throw refusal }
            return (access, try Authenticator(access))
        } catch {
            problems.append("serve.\(Self.settingName(error.setting)): \(error.message)")
            return nil
        }
    }

    /// Access names the texts that it gets; the settings name the files of two of them.
    private static func settingName(_ name: String) -> String {
        switch name {
        case "jwt.secret": "jwt.secret-file"
        case "jwt.publicKey": "jwt.public-key"
        default: name
        }
    }

    private mutating func jwt() -> AccessSettings.JWT? {
        let algorithms = settings[Keys.serveJWTAlgorithms]
        let others: [SettingKey<String?>] = [
            Keys.serveJWTIssuer, Keys.serveJWTAudience, Keys.serveJWTSecretFile, Keys.serveJWTPublicKey,
            Keys.serveJWTKeySet,
        ]
        guard !algorithms.isEmpty else {
            for key in others where settings[key] != nil {
                problems.append("\(key.name) has no effect without serve.jwt.algorithms")
            }
            return nil
        }
        return AccessSettings.JWT(
            issuer: settings[Keys.serveJWTIssuer], audience: settings[Keys.serveJWTAudience], algorithms: algorithms,
            secret: file(Keys.serveJWTSecretFile)?.trimmingCharacters(in: .newlines),
            publicKey: file(Keys.serveJWTPublicKey), jwks: file(Keys.serveJWTKeySet))
    }

    private mutating func file(_ key: SettingKey<String?>) -> String? {
        guard let path = settings[key] else { return nil }
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            problems.append("\(key.name) is '\(path)', which cannot be read, allowed is the path of a file")
            return nil
        }
    }

    /// The settings of the API.
    func gateway(_ topics: TopicNames) -> GatewaySettings {
        var gateway = GatewaySettings(
            topics: topics, application: settings[Keys.application], kinds: settings[Keys.kinds],
            positions: PositionSettings(settings))
        gateway.recordBytesMax = PipelineSettings().recordBytesMax
        gateway.allowedOrigins = settings[Keys.serveCORS]
        gateway.heartbeat = settings[Keys.serveHeartbeat]
        gateway.waitMaximum = settings[Keys.serveWait]
        // Sources answer in further transactions of the pipeline, a few at most.
        gateway.settle = max(.seconds(1), .milliseconds(settings[Keys.commitInterval] * 10))
        gateway.streamsMaximum = settings[Keys.serveStreamLimit]
        gateway.streamBuffer = settings[Keys.serveStreamBuffer]
        gateway.reloadsMaximum = settings[Keys.serveReloadsCount]
        gateway.reloadsAge = ElapsedTime(settings[Keys.serveReloadsAge])
        return gateway
    }

    /// The settings of the server below it.
    func server() -> HTTPServerConfiguration {
        var server = HTTPServerConfiguration()
        let listen = settings[Keys.serveListen]
        server.address = listen.host
        server.port = listen.port
        if let certificate = settings[Keys.serveTLSCertificate], let key = settings[Keys.serveTLSKey] {
            server.tls = TLSFiles(certificate: certificate, key: key)
        }
        server.threads = min(8, Cores.count)
        server.bodyLimit = settings[Keys.serveBodyLimit]
        // One body is a sixteenth at most (`Keys.memoryRules`).
        if let limit = settings.memoryLimit { server.bodiesLimit = min(server.bodiesLimit, limit / 8) }
        server.connectionLimit = settings[Keys.serveConnectionLimit]
        let rate = settings[Keys.serveRateLimit]
        if rate > 0 { server.rateLimit = RateLimit(perSecond: Double(rate), burst: Double(rate) * 2) }
        // A wait answers by itself before the server gives it up.
        server.answerTimeout = settings[Keys.serveWait] + .seconds(20)
        server.refusal = { Problem($0).response }
        let origins = CrossOrigin(settings[Keys.serveCORS])
        if !settings[Keys.serveCORS].isEmpty { server.furtherHeaders = { origins.headers(for: $0) } }
        return server
    }
}
