import Arguments
import Crypto
import Foundation
import Settings

/// Serves timelines, reloads, configurations and positions over HTTP.
struct ServeCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves timelines, reloads, configurations and readers' positions over HTTP.",
        discussion: """
            Reads the topics into memory and answers from there; any number of servers can run. GET /openapi.json \
            describes the API, GET /v1/stream sends changes as server-sent events, /health/live, /health/ready and \
            /health/startup are for supervisors.

            It listens on loopback. Another address needs serve.tokens or serve.jwt, or everybody who reaches it could \
            read and write all. A token is known by its SHA-256 alone: '--hash-token' makes that from standard input.

            With '--cache FILE' the next start is warm: the file keeps what was read. SIGTERM ends streams, answers \
            requests under way and ends with status 0; an outage of the brokers never ends it.
            """,
        examples: [
            CommandExample("tideline serve", "Serves on http://127.0.0.1:8080, to this machine alone."),
            CommandExample(
                "tideline serve --listen 0.0.0.0:8080 --config tideline.yaml", "Serves others, with tokens of the file."
            ),
            CommandExample("openssl rand -hex 32 | tee token | tideline serve --hash-token", "Makes a token."),
        ])

    @Option(help: ArgumentHelp("The address to listen on, 127.0.0.1:8080 by default.", valueName: "host:port"))
    var listen: String?
    @Option(help: ArgumentHelp("Keeps what was read, for a warm start.", valueName: "file"), completion: .file())
    var cache: String?
    @Option(
        help: ArgumentHelp("Touched while the server works, for health checks.", valueName: "file"),
        completion: .file())
    var healthFile: String?
    @Flag(help: "Print the SHA-256 of the token on standard input, for serve.tokens, and end.") var hashToken = false
    @OptionGroup var monitoringOptions: MonitoringOptions
    @OptionGroup var kafka: KafkaOptions

    func execute() throws(CommandFailure) {
        if hashToken { return try printHash() }
        var options = kafka
        if let listen { options.settings.append(KeyValueArgument(key: Keys.serveListen.name, value: listen)) }
        if let cache { options.settings.append(KeyValueArgument(key: Keys.serveCache.name, value: cache)) }
        let run = try ServeRun(Environment(options, flags: monitoringOptions.flags), healthFile: healthFile)
        print(try run.run().json)
    }

    /// - Throws: with status 65 if the input is no token.
    private func printHash() throws(CommandFailure) {
        let input = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
        let token = input.trimmingCharacters(in: .whitespacesAndNewlines)
        // RFC 6750 section 2.1.
        guard token.wholeMatch(of: /[A-Za-z0-9\-._~+\/]+=*/) != nil else {
            throw CommandFailure(
                .dataError, "standard input: must be one token of letters, digits, '-', '.', '_', '~', '+', '/', '='")
        }
        guard token.utf8.count >= 16 else {
            throw CommandFailure(
                .dataError, "standard input: a token must have 16 characters or more, or it is guessed")
        }
        print(SHA256.hash(Array(token.utf8)).hexadecimal)
    }
}
