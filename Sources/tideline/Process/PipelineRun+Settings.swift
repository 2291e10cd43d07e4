import Foundation
import Messages
import Pipeline
import Positions
import Settings
import StreamCore
import StreamRuntime
import Timelines

// The one place where settings and options become what the pipeline and its runtime take.

extension PipelineSettings {
    /// - Parameter recordLimits: the `max.message.bytes` of the topics of outputs, by topic.
    init(_ settings: Settings, _ topics: TopicNames, _ options: PipelineRun.Options, recordLimits: [String: Int]) {
        self.init(topics: topics, application: settings[Keys.application])
        leavesWhenCaughtUp = options.untilCaughtUp
        startsClockAnew = options.clock != nil
        pause = ElapsedTime(settings[Keys.pause])
        spread = ElapsedTime(settings[Keys.spread])
        // A clock that was started at another time says nothing about when a record arrived.
        telemetryFuture =
            options.clock == nil
            ? settings[Keys.telemetryFuture].map { ElapsedTime($0) } : nil
        vehicleExpiry = ElapsedTime(settings[Keys.vehiclesExpiry])
        kinds = settings[Keys.kinds]
        reload = settings.reload
        positions = PositionSettings(settings)
        stateFormat = settings[Keys.stateFormat]
        adopt(recordLimits)
    }

    /// Keeps records below what their topics take: the broker refuses a larger one, and such a refusal comes back for
    /// ever (R11).
    private mutating func adopt(_ limits: [String: Int]) {
        // The producer takes no larger record than those of the internal topics, whatever a topic allows.
        let limits = limits.mapValues { min($0, InternalTopics.recordBytesMax) }
        // The rest of a record's bytes are its key, its headers and the batch around it.
        if let limit = limits[topics.reloads] { reloadBytesMax = max(limit - 4096, 1024) }
        if let limit = limits[topics.timelines] { timelineBytesMax = max(limit - 4096, 1024) }
        if let limit = limits[topics.positionsMerged] { positionsBytesMax = max(limit - 8192, 1024) }
        if let limit = limits[topics.deadLetters] { deadLetterBytesMax = max(limit - 1024, 1024) }
    }
}

extension StreamSettings {
    init(_ settings: Settings, _ internalTopics: InternalTopics, _ options: PipelineRun.Options) {
        self.init(
            applicationId: settings[Keys.application], exchangeTopic: internalTopics.exchange,
            stateTopic: internalTopics.state)
        commitInterval = .milliseconds(settings[Keys.commitInterval])
        visibleCommitInterval = .milliseconds(settings[Keys.visibleCommitInterval])
        transactionTimeout = settings[Keys.transactionTimeout]
        sessionTimeout = settings[Keys.sessionTimeout]
        restorePatience = settings[Keys.restorePatience]
        standbyReplicas = settings[Keys.standbyReplicas]
        let instance = settings[Keys.instance]
        self.instance = instance.isEmpty ? nil : instance
        unownedGrace = settings[Keys.sessionTimeout] + .seconds(5)
        measuresTasks = options.monitoring != nil
        removesConsumedRecords = options.removesConsumedRecords
        misfits = MisfitPolicy(settings)
        state.settings = ContentSettings.recorded(settings)
        state.zoneData = TimeZone.timeZoneDataVersion
    }
}

extension StreamIntervals {
    init(_ settings: Settings) {
        self.init(
            commit: .milliseconds(settings[Keys.commitInterval]),
            visibleCommit: .milliseconds(settings[Keys.visibleCommitInterval]),
            restorePatience: settings[Keys.restorePatience])
    }
}

extension MisfitPolicy {
    init(_ settings: Settings) {
        self.init()
        replaysLostState = settings[Keys.lostState] == .replay
        acceptsMovedCluster = settings[Keys.clusterMoved] == .accept
        acceptsChangedSettings = settings[Keys.changedSettings] == .accept
        settingNames = ContentSettings.names
    }
}

extension InternalTopics {
    init(_ settings: Settings) {
        self.init(applicationId: settings[Keys.application], replication: settings.internalReplication)
    }
}
