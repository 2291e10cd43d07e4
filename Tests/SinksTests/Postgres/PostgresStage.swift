import Foundation
import Postgres
import RecordLog
import Sinks
import TestSupport
import Testing

/// A database of its own on a real server, and sinks that write to it.
struct PostgresStage {
    typealias Contract = TimelineSinkContract

    let server: PostgresServer
    let database: String

    /// - Parameter server: `nil` takes the one of all tests.
    init(on server: PostgresServer? = nil, options: String = "") async throws {
        self.server = if let server { server } else { try await PostgresServer.shared() }
        database = try await self.server.makeDatabase(options)
    }

    /// - Parameter query: of the address.
    func address(_ query: String = "") throws -> PostgresAddress {
        try PostgresAddress(server.url(database, query: query))
    }

    func sink(_ query: String = "", lockPatience: Duration = .seconds(10)) throws -> PostgresSink {
        PostgresSink(try address(query), lockPatience: lockPatience)
    }

    /// The value that a query gives.
    func text(_ sql: String) throws -> String? {
        let rows = try PostgresConnection(try address("application_name=test")).run(sql)
        return rows.count > 0 ? rows.text(0, 0) : nil
    }

    func execute(_ sql: String) throws {
        try PostgresConnection(try address("application_name=test")).run(sql)
    }

    static func record(_ id: String, revision: Int, offset: Int64, _ change: (String) -> String = { $0 }) -> SinkRecord
    {
        Contract.record(id, change(Contract.timeline(id, revision: revision, minute: revision)), offset: offset)
    }

    /// Ends the sessions of sinks, as an operator or a network does.
    func endSessions() throws {
        try execute(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'tideline-sink'
            """)
    }
}

/// True if a sink says that it may work later, with this in its words.
func isUnavailable(_ error: any Error, _ words: String = "") -> Bool {
    guard let error = error as? SinkError else { return false }
    return error.isRetriable && (words.isEmpty || error.description.contains(words))
}

/// True if a sink says that it cannot work before somebody changes something, with this in its words.
func isRefused(_ error: any Error, _ words: String) -> Bool {
    guard case .refused(let fault) = error as? SinkError else { return false }
    return fault.description.contains(words)
}
