import Foundation
import TestSupport

/// A failure that operators meet, as Documentation/Runbook.md has it: what is written there by hand, and what provokes
/// it and repairs it.
struct RunbookFailure: Sendable {
    /// The heading of its section.
    var title: String
    /// What happens, and why.
    var means: String
    /// What is gone for good, in whole sentences.
    var lost: String
    /// The alerts that lead here; the first has the link.
    var alerts: [String]
    /// The topics of the application have so many partitions.
    var partitions = 2
    /// False where it needs a broker of its own.
    var sharesBroker = true
    /// Provokes it, looks, repairs it and looks again.
    var play: @Sendable (RunbookScene) async throws -> Void

    var anchor: String { PageAnchors.anchor(of: title) }

    /// In the order of the page.
    static let all = ofTopics + ofProcesses + ofTransactions + ofSinks + ofBrokers
}

/// What a test saw of a failure.
struct RunbookSighting: Sendable {
    /// Lines of the log, before anything is done.
    var log: [String] = []
    /// The part and the reason in the answer of /health/ready, or what comes in its place.
    var health = ""
    /// True if that is a notice, in an answer that says yes.
    var isReady = false
    /// The series that the alerts ask for.
    var metrics: [String] = []
    /// Lines of `tideline doctor`.
    var doctor: [String] = []
    /// What is done about it, each a command or a sentence.
    var steps: [Step] = []
    /// For the alerts: the samples before it and while it lasted; `nil` where nothing answers.
    var before: RunbookAlerts.Scrape?
    var during: RunbookAlerts.Scrape?
    /// From the moment at which it was there.
    var healthTime = Duration.zero
    var metricsTime = Duration.zero

    enum Step: Sendable {
        case command(String)
        case sentence(String)
        /// A line of the log that shows that the step was right.
        case line(String)
    }
}
