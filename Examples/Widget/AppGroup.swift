// Not compiled on Linux: see TidelineWidget.swift.

import Foundation
import OSLog
import Security
import TidelineClient

/// The things that app and extension share. The app writes the address and the token when its user signs in.
enum AppGroup {
    static let name = "group.example.tideline"

    /// The configuration whose timeline is shown.
    static var configurationId: String? { UserDefaults(suiteName: name)?.string(forKey: "configuration") }

    /// The client of the extension; `nil` before the user has signed in.
    ///
    /// It has the folder of the app, so what the one has loaded the other shows, also offline.
    static func client() -> TidelineClient? {
        guard let defaults = UserDefaults(suiteName: name),
            let address = defaults.url(forKey: "server"), let reader = defaults.string(forKey: "reader"),
            let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
        else { return nil }
        var configuration = ClientConfiguration(
            baseURL: address, token: Keychain.token(), readerId: reader, directory: folder.appending(path: "tideline"))
        do {
            if let file = Bundle.main.url(forResource: "Tideline", withExtension: "plist") {
                configuration.settings = try ClientSettings(propertyListAt: file)
            }
            return try TidelineClient(configuration: configuration)
        } catch {
            // With the defaults instead, places would leave a device whose list forbids that.
            log.error("The widget shows nothing: \(error, privacy: .public)")
            return nil
        }
    }

    private static let log = Logger(subsystem: "example.tideline", category: "widget")
}

/// The token, in the keychain group that app and extension share.
enum Keychain {
    static func token() -> BearerToken? {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "tideline", kSecAttrAccessGroup: AppGroup.name,
            kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
        ]
        var found: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, let data = found as? Data else {
            return nil
        }
        return BearerToken(String(decoding: data, as: UTF8.self))
    }
}
