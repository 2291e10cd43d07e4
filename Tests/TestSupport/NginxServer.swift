package import Foundation
import Glibc

/// Debian's nginx as a place that takes PUT and DELETE: what it holds are files, which no code of ours has written.
///
/// One process on loopback, in a directory of its own; it ends with this one, and is started again on the same port.
package final class NginxServer {
    package let port: UInt16
    private let directory: URL
    private var runner: ProcessRunner?

    private static let executable = URL(filePath: "/usr/sbin/nginx")

    /// Sets it up, and does not start it.
    ///
    /// - Throws: what is missing.
    package init() throws {
        guard FileManager.default.isExecutableFile(atPath: Self.executable.path) else {
            throw TestBrokerError("\(Self.executable.path) is missing: Scripts/setup test installs nginx-light")
        }
        directory = TemporaryDirectory.make("nginx")
        port = try freePortPair()
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let takes = "dav_methods PUT DELETE; create_full_put_path on; client_max_body_size 8m;"
        for (file, location) in [(taking, takes), (denying, "return 404;")] {
            try Data(configuration(location).utf8).write(to: file)
        }
    }

    /// The configurations of a server that takes all, and of one on which nothing is deployed.
    private var taking: URL { directory.appending(path: "nginx.conf") }
    private var denying: URL { directory.appending(path: "denying.conf") }

    private func configuration(_ location: String) -> String {
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        let paths = folders.map { [directory] in "\($0)_temp_path \(directory.path)/\($0);" }
        return """
            \(geteuid() == 0 ? "user root;" : "")
            daemon off;
            master_process off;
            pid \(directory.path)/nginx.pid;
            error_log \(directory.path)/error.log;
            events { worker_connections 256; }
            http {
                log_format told '$request_method $uri $http_ce_revision $status';
                access_log \(directory.path)/access.log told;
                \(paths.joined(separator: "\n    "))
                server {
                    listen 127.0.0.1:\(port);
                    root \(files.path);
                    location / { \(location) }
                }
            }
            """
    }

    /// Where the files are that it holds.
    package var files: URL { directory.appending(path: "files") }

    /// Returns when it takes connections.
    ///
    /// - Parameters:
    ///   - fileSizeMax: so many bytes a file may have, as on a disk that is full; `nil` sets no limit.
    ///   - deniesAll: true answers 404 to everything.
    package func start(fileSizeMax: Int? = nil, deniesAll: Bool = false) throws {
        precondition(runner?.isRunning != true, "nginx runs already")
        // It is written once nginx listens.
        let sign = directory.appending(path: "nginx.pid").path
        try? FileManager.default.removeItem(atPath: sign)
        let limit = fileSizeMax.map { ["prlimit", "--fsize=\($0)"] } ?? []
        runner = try ProcessRunner(
            URL(filePath: "/usr/bin/env"),
            ["--ignore-signal=XFSZ"] + limit + [
                Self.executable.path, "-c", (deniesAll ? denying : taking).path, "-p", directory.path,
            ], timeout: .seconds(1200))
        let deadline = ContinuousClock.now + .seconds(60)
        while !FileManager.default.fileExists(atPath: sign) {
            guard ContinuousClock.now < deadline, isRunning else {
                throw TestBrokerError("nginx does not start: \(runner?.errorOutput ?? "")")
            }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    /// SIGKILL, in the middle of whatever it does; returns when it has ended.
    package func kill() {
        runner?.kill()
        _ = runner?.waitBlocking()
        runner = nil
    }

    /// SIGSTOP or SIGCONT: it has its connections, and answers nothing.
    package func signal(_ number: Int32) { runner?.signal(number) }

    package var isRunning: Bool { runner?.isRunning == true }

    /// The revisions that it took by PUT, by path, in their order.
    package var revisions: [String: [Int]] {
        let log = (try? String(contentsOf: directory.appending(path: "access.log"), encoding: .utf8)) ?? ""
        var revisions: [String: [Int]] = [:]
        for words in log.split(separator: "\n").map({ $0.split(separator: " ") }) {
            guard words.count == 4, words[0] == "PUT", words[3].hasPrefix("2"), let revision = Int(words[2]) else {
                continue
            }
            revisions[String(words[1]), default: []].append(revision)
        }
        return revisions
    }

    /// The number of requests that it has answered: the lines of its log.
    package var requestCount: Int {
        let log = (try? Data(contentsOf: directory.appending(path: "access.log"))) ?? Data()
        return log.count { $0 == UInt8(ascii: "\n") }
    }

    /// The files that it holds, by path.
    package func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        let prefix = files.resolvingSymlinksInPath().path + "/"
        let paths = FileManager.default.enumerator(at: files, includingPropertiesForKeys: [.isRegularFileKey])
        while let file = paths?.nextObject() as? URL {
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            contents[String(file.resolvingSymlinksInPath().path.dropFirst(prefix.count))] = try Data(contentsOf: file)
        }
        return contents
    }
}
