import Inspection
import Messages
import Observability
import RecordLog
import Settings
import StreamRuntime

/// What a verb asks the brokers before its work begins: for as long as `connect.timeout`, and not beyond a signal to
/// end.
extension Environment {
    var requests: PatientRequests {
        PatientRequests(
            patience: settings[Keys.connectTimeout], clock: SleepingClock(),
            shouldStop: { Signals.isStopRequested })
    }

    /// Asks again and again while a broker is away for a moment.
    ///
    /// - Parameter purpose: what cannot be done without the answer, for the message: "cannot look at the topics".
    /// - Throws: with status 69.
    func ask<Answer>(
        _ purpose: String, _ question: (_ timeout: Duration) throws(LogError) -> Answer
    ) throws(CommandFailure) -> Answer {
        let answer: Answer?
        do throws(LogError) {
            answer = try requests.persistently(question)
        } catch {
            throw unanswered(purpose, error)
        }
        guard let answer else { throw stopped(purpose) }
        return answer
    }

    /// The failure of a question that is not asked again.
    func unanswered(_ purpose: String, _ cause: LogError) -> CommandFailure {
        let time = "no broker answered for \(settings[Keys.connectTimeout].iso8601) (connect.timeout). "
        return CommandFailure(.unavailable, "\(purpose): \(cause.isRetriable ? time : "")\(cause)")
    }

    /// The failure of a question that the end of the program cut short. Nothing was done, and whoever waits for the
    /// work must see that.
    func stopped(_ purpose: String) -> CommandFailure {
        CommandFailure(.unavailable, "\(purpose): told to end while no broker answered")
    }

    // MARK: - Topics

    /// Looks up topics.
    ///
    /// - Parameter operation: what the caller wants of them, for the message about a missing permission.
    /// - Returns: those that exist, by name.
    /// - Throws: with status 69.
    func describe(
        _ names: [String], _ admin: any Admin, for operation: Permission.Operation? = nil
    ) throws(CommandFailure) -> [String: TopicDescription] {
        try ask("cannot look at the topics") { (timeout) throws(LogError) in
            do throws(LogError) {
                return try admin.describeTopics(names, timeout: timeout)
            } catch {
                throw if let operation { error.needing(operation) } else { error }
            }
        }
    }

    /// Looks up topics that must exist. One that is missing may be new, and is looked up again for a moment.
    ///
    /// - Parameter topics: the names, with what the caller wants of them.
    /// - Returns: the topics by name.
    /// - Throws: with status 69, naming all topics that are missing.
    func require(
        _ topics: [(names: [String], operation: Permission.Operation?)], _ admin: any Admin
    ) throws(CommandFailure) -> [String: TopicDescription] {
        let names = topics.flatMap(\.names)
        let found = try requests.existing(
            names,
            missing: { absent in
                logger.info("not there yet: \(absent.joined(separator: ", ")); a new topic takes a moment")
            },
            lookUp: { () throws(CommandFailure) in
                var found: [String: TopicDescription] = [:]
                for (names, operation) in topics {
                    found.merge(try describe(names, admin, for: operation)) { $1 }
                }
                return found
            })
        guard let found else { throw stopped("cannot look at the topics") }
        let absent = names.filter { found[$0] == nil }
        if !absent.isEmpty { throw missing(absent) }
        return found
    }

    /// As above, for one kind of topics.
    @discardableResult
    func require(_ names: [String], _ admin: any Admin) throws(CommandFailure) -> [String: TopicDescription] {
        try require([(names, nil)], admin)
    }

    /// Says if nothing of the application is there, and which ids are near its own: what a verb finds of one that is
    /// misspelt looks like one that has nothing.
    func warnOfUnknownApplication(_ admin: any Admin) {
        if let warning = unknownApplication(admin) { writeError("warning: \(warning)") }
    }

    /// That nothing of the application is there, with the ids that are near its own.
    ///
    /// - Returns: `nil` if something is there, if there is no application at all, or if it cannot be told.
    func unknownApplication(_ admin: any Admin) -> String? {
        do throws(LogError) {
            let known = KnownApplications(topics: try admin.topicNames(timeout: .seconds(10)))
            return known.warning(about: settings[Keys.application])
        } catch {
            logger.debug("cannot look for other applications: \(error)")
            return nil
        }
    }

    /// The failure that names missing topics, with the command that creates them.
    func missing(_ names: [String]) -> CommandFailure {
        var line = "tideline topics --bootstrap \(settings[Keys.bootstrap])"
        if !settings[Keys.topicPrefix].isEmpty { line += " --topic-prefix \(settings[Keys.topicPrefix])" }
        return CommandFailure(
            .unavailable, "missing topics: \(names.joined(separator: ", ")). To create them:\n  \(line)")
    }
}

extension TopicDescription {
    /// The most bytes that the topic takes of a record's key and value together (`max.message.bytes`); `nil` means
    /// that the broker does not say it.
    var recordBytesMax: Int? { settings["max.message.bytes"].flatMap { Int($0) } }
}
