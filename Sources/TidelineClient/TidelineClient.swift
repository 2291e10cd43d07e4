// TidelineClient: timelines and readers' positions in an app: Linux, iOS 16, macOS 13.
//
// It must not know the server's modules: Foundation, Positions and Timelines are all that it imports. It uses nothing
// that is newer than iOS 16 and macOS 13.
//
// Begin with the client below, then `Positions/PositionStore.swift`. `Configuration` says what an app chooses,
// `Timelines` what it gets, `Events` streams changes, `Cache` and the journal in `Positions` keep things on the device,
// `Connection` speaks to the server, and `Ports` are the ways to network, clock and chance.

internal import Foundation
/// Positions, timelines and instants are what a client gives.
@_exported public import Positions

/// A server's timelines and positions, on a device that is not always online.
///
/// Any task may call. A client has one server and one reader; everything that it keeps is in its folder.
public final class TidelineClient: Sendable {
    /// The configuration that the client was made with.
    public let configuration: ClientConfiguration
    let connection: ServerConnection
    let cache: TimelineCache
    private let stores: PositionStores

    /// A client that asks nothing yet.
    ///
    /// - Throws: every member of the configuration that cannot be used, and what is allowed.
    public init(configuration: ClientConfiguration) throws(ConfigurationProblems) {
        try configuration.check()
        self.configuration = configuration
        let settings = configuration.settings
        connection = ServerConnection(
            base: configuration.baseURL, token: configuration.token, transport: configuration.transport,
            log: settings.debug ? configuration.log : nil)
        cache = TimelineCache(
            directory: configuration.directory.appending(path: "timelines"), capacity: settings.positions.maxCacheSize,
            memoryMax: settings.memoryWarningThreshold, clock: configuration.clock)
        stores = PositionStores(configuration, connection)
    }

    /// Shows another secret to the server from now on, for example after a new login.
    public func setToken(_ token: BearerToken?) {
        connection.setToken(token)
    }

    /// The positions of the reader in the timeline of a configuration. There is one store for each, until the client
    /// stops.
    ///
    /// - Throws: `.storage` if the folder cannot be used; `.refused` with the status 422 and without a request, if the
    ///   configurationId has not 1 to 1024 bytes in UTF-8.
    public func positionStore(for configurationId: String) async throws(TidelineError) -> PositionStore {
        guard PositionLimits.isName(configurationId) else {
            let field = Problem.Field(field: "configurationId", message: PositionLimits.names)
            throw .refused(Problem(status: 422, title: "The server would refuse this", errors: [field]))
        }
        return try await stores.store(for: configurationId)
    }

    /// Drops what has expired and what is over the bounds, in the cache and in the journals. An app calls this now and
    /// then, for example once a day.
    ///
    /// - Throws: `.storage` if the disk does not take it.
    public func performMaintenance() async throws(TidelineError) {
        let dropped = try await cache.trim()
        connection.note("maintenance: \(dropped) timelines dropped from the cache")
        try await stores.forEach { store throws(TidelineError) in try await store.performMaintenance() }
    }

    /// Saves what is not on the disk yet, and does nothing more by itself. An app calls this when it ends.
    ///
    /// - Throws: `.storage` if the disk does not take it.
    public func stop() async throws(TidelineError) {
        try await stores.stop()
    }
}

/// The stores of a client, one for each configuration.
actor PositionStores {
    private typealias Start = Task<Result<PositionStore, TidelineError>, Never>

    private let configuration: ClientConfiguration
    private let connection: ServerConnection
    /// The starts of the stores. Everybody who asks for a store awaits its one start: before that it has read nothing.
    private var starts: [String: Start] = [:]
    private var deviceId: String?

    init(_ configuration: ClientConfiguration, _ connection: ServerConnection) {
        self.configuration = configuration
        self.connection = connection
        deviceId = configuration.deviceId
    }

    func store(for configurationId: String) async throws(TidelineError) -> PositionStore {
        let start = starts[configurationId] ?? begin(configurationId)
        let result = await start.value
        // The next call tries again.
        if case .failure = result, starts[configurationId] == start { starts[configurationId] = nil }
        return try result.get()
    }

    private func begin(_ configurationId: String) -> Start {
        let start = Start {
            do throws(TidelineError) {
                let place = PositionPlace(
                    readerId: configuration.readerId, configurationId: configurationId, deviceId: try await device(),
                    directory: configuration.directory)
                let store = PositionStore(place, configuration, connection: connection)
                try await store.start()
                return .success(store)
            } catch {
                return .failure(error)
            }
        }
        starts[configurationId] = start
        return start
    }

    private func device() async throws(TidelineError) -> String {
        if let deviceId { return deviceId }
        let (directory, random) = (configuration.directory, configuration.random)
        let name = try await FileQueue("device").run { () throws(TidelineError) in
            try DeviceName.kept(in: directory, random)
        }
        deviceId = name
        return name
    }

    func forEach(
        _ body: @Sendable (PositionStore) async throws(TidelineError) -> Void
    ) async throws(TidelineError) {
        for (_, start) in starts.sorted(by: { $0.key < $1.key }) {
            // A store that could not be started has told that to the call which asked for it.
            if case .success(let store) = await start.value { try await body(store) }
        }
    }

    /// Stops all stores, also those that are made meanwhile, and also if one of them cannot save; then the first
    /// failure is thrown.
    func stop() async throws(TidelineError) {
        var failure: TidelineError?
        while let (configurationId, start) = starts.min(by: { $0.key < $1.key }) {
            if case .success(let store) = await start.value {
                do throws(TidelineError) { try await store.stop() } catch { failure = failure ?? error }
            }
            if starts[configurationId] == start { starts[configurationId] = nil }
        }
        if let failure { throw failure }
    }
}
