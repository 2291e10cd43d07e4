import Settings
import Sinks
import StreamRuntime

extension DeliveryPace {
    /// The pace as the settings of now say it.
    init(_ settings: Settings, ofTimelines: Bool) {
        self.init()
        requestsMax = settings[ofTimelines ? Keys.sinkHTTPConcurrency : Keys.reloadsConcurrency]
        ageMax = settings[ofTimelines ? Keys.sinkHTTPMaxAge : Keys.reloadsMaxAge]
        gather = settings[Keys.reloadsGather]
        backoff.first = settings[ofTimelines ? Keys.sinkHTTPBackoffFirst : Keys.reloadsBackoffFirst]
        backoff.most = settings[ofTimelines ? Keys.sinkHTTPBackoffMax : Keys.reloadsBackoffMax]
        declinedMax = settings[Keys.webhookRefusals]
    }
}

extension SleepingClock: DeliveryClock {}
