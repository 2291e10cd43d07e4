package import Crypto
import Messages

/// How Apple's push service is spoken to.
package struct APNsSettings {
    package var key: P256.Signing.PrivateKey
    /// The name that Apple gave the key: ten letters and digits.
    package var keyId: String
    /// The name of the developer account: ten letters and digits.
    package var teamId: String
    /// `HOST` or `HOST:PORT` in place of Apple's servers.
    package var host: String?
    /// `apns-priority` of reloads that somebody waits for: `requested`, `configurationChanged`, `statusChanged`.
    package var priorityHigh = 10
    /// `apns-priority` of the others, which may wait until the device is awake.
    package var priorityLow = 5
    package var configurationsTopic: String

    package init(key: P256.Signing.PrivateKey, keyId: String, teamId: String, configurationsTopic: String) {
        self.key = key
        self.keyId = keyId
        self.teamId = teamId
        self.configurationsTopic = configurationsTopic
    }

    func host(of environment: PushRegistration.Environment) -> String {
        if let host { return host }
        return switch environment {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }

    func priority(of reason: ReloadNotification.Reason) -> Int {
        switch reason {
        case .requested, .configurationChanged, .statusChanged: priorityHigh
        case .dataChanged, .scheduled, .retry: priorityLow
        }
    }
}
