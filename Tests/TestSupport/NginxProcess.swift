import Foundation
import Glibc

/// nginx as a private process of a test, on a free port of the loopback. It ends with `stop`, or with this process.
package final class NginxProcess: Sendable {
    /// Where it answers.
    package let address: String
    private let process: ProcessRunner

    /// Starts it and waits until it takes connections.
    ///
    /// - Parameter server: makes its `server { … }` for a port.
    /// - Throws: `TestBrokerError` with what to install, where it is missing.
    package init(server: (_ port: UInt16) throws -> String) async throws {
        let nginx = URL(filePath: "/usr/sbin/nginx")
        guard FileManager.default.isExecutableFile(atPath: nginx.path) else {
            throw TestBrokerError("no nginx here; Scripts/setup test installs it")
        }
        let folder = TemporaryDirectory.make("nginx")
        let port = try freePortPair()
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { name in
            "\(name)_temp_path \(folder.path)/\(name);"
        }
        let configuration = """
            daemon off;
            \(geteuid() == 0 ? "user root;" : "")
            worker_processes 1;
            pid \(folder.path)/pid;
            error_log \(folder.path)/error.log;
            events { worker_connections 64; }
            http {
                access_log off;
                \(places.joined(separator: "\n"))
                \(try server(port))
            }
            """
        let file = folder.appending(path: "nginx.conf")
        try Data(configuration.utf8).write(to: file)
        process = try ProcessRunner(nginx, ["-p", folder.path, "-c", file.path, "-e", "\(folder.path)/error.log"])
        address = "http://127.0.0.1:\(port)"
        let answers = await eventually(within: .seconds(60)) { Self.connects(to: port) }
        guard answers else {
            let log = (try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)) ?? ""
            throw TestBrokerError("nginx does not answer: \(process.errorOutput)\(log)")
        }
    }

    /// Ends it, and waits for that.
    package func stop() async {
        process.terminate()
        _ = await process.result()
    }

    private static func connects(to port: UInt16) -> Bool {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
