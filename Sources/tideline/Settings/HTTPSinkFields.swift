import Settings
import Sinks

/// What a sink over HTTP has of its own under `sinks`. In place of what is `nil` stands the setting for all of them.
struct HTTPSinkFields: Hashable, Sendable {
    /// In place of `webhook.secret`.
    var secret: WebhookSecret?
    /// The path of a file that holds the secret; `nil` if there is a secret.
    var secretFile: String?
    /// In place of `sink.http.hosts`.
    var hosts: [AllowedHost]?
    /// In place of `sink.http.batch`.
    var batch: Int?

    static let names = ["secret", "secret-file", "hosts", "batch"]
    static let needsAddress = "is of sinks over HTTP, whose to is an address such as https://example.com/timelines"
}

extension SinkDeclarationReading {
    /// Reads the fields of a sink that sends to this address. What is wrong is among the problems, no secret is.
    mutating func http(
        _ name: String, _ fields: [(key: String, value: SettingTree)], _ address: TimelineAddress
    ) -> HTTPSinkFields {
        var http = HTTPSinkFields()
        for (key, value) in fields {
            let path = [name, key]
            switch key {
            case "secret": http.secret = secret(path, value.content)
            case "secret-file": http.secretFile = file(path, value.content)
            case "hosts": http.hosts = hosts(path, value.content)
            default: http.batch = batch(path, value.content, address)
            }
        }
        if fields.contains(where: { $0.key == "secret" }), http.secretFile != nil {
            problems.append(.init(path: [name, "secret-file"], "cannot be beside secret: allowed is one of them"))
        }
        return http
    }

    private mutating func secret(_ path: [String], _ content: SettingTree.Content) -> WebhookSecret? {
        switch content {
        case .text(let text), .number(let text):
            guard let secret = WebhookSecret(text) else { break }
            return secret
        default: break
        }
        return refuse(path, "must be \(WebhookSecret.allowed)")
    }

    private mutating func file(_ path: [String], _ content: SettingTree.Content) -> String? {
        guard case .text(let file) = content, !file.isEmpty else { return refuse(path, "must be the path of a file") }
        return file
    }

    private mutating func hosts(_ path: [String], _ content: SettingTree.Content) -> [AllowedHost]? {
        let elements: [SettingTree.Content]
        if case .list(let trees) = content { elements = trees.map(\.content) } else { elements = [content] }
        var hosts: [AllowedHost] = []
        for element in elements {
            guard case .text(let text) = element, let host = AllowedHost(text) else {
                return refuse(path, "must be a list, each \(AllowedHost.allowed)")
            }
            hosts.append(host)
        }
        return hosts
    }

    private mutating func batch(
        _ path: [String], _ content: SettingTree.Content, _ address: TimelineAddress
    ) -> Int? {
        guard case .number(let text) = content, let batch = Int(text), Keys.httpBatches.contains(batch) else {
            let (least, most) = (Keys.httpBatches.lowerBound, Keys.httpBatches.upperBound)
            return refuse(path, "must be a whole number from \(least) to \(most)")
        }
        if batch > 1, address.namesConfiguration {
            return refuse(path, "must be 1 where the address has {configurationId}: it takes one timeline at a time")
        }
        return batch
    }
}
