import HTTPServer
import Messages
import RecordLog

extension GatewayContext {
    /// Writes records and answers when the broker has them, or has not taken them within its time.
    ///
    /// - Parameter success: called with the places in the order of the records; answers the request.
    func write(
        _ records: [OutgoingRecord], _ completion: HTTPCompletion,
        success: @escaping @Sendable ([RecordPlace]) -> Void
    ) {
        writer.write(records) { outcome in
            switch outcome {
            case .success(let places): success(places)
            case .failure(let error): completion.finish(Problem.notWritten(error, records).response)
            }
        }
    }
}

extension GatewayContext {
    /// - Throws: 413 if the pipeline would not read a value of so many bytes.
    func requireSize(_ bytes: Int) throws(Problem) {
        guard bytes > settings.recordBytesMax else { return }
        throw .recordTooLarge("A value has \(bytes) bytes, at most \(settings.recordBytesMax) are read.")
    }
}

extension GatewayRequest {
    /// An answer that comes later. A problem that the closure throws is the answer.
    func answering(_ body: @escaping @Sendable (HTTPCompletion) throws(Problem) -> Void) -> HTTPAnswer {
        .later { completion in
            do throws(Problem) {
                try body(completion)
            } catch {
                completion.finish(error.response)
            }
        }
    }
}

extension HTTPResponse {
    /// 202 with the place of a record.
    static func accepted(_ place: RecordPlace) -> HTTPResponse {
        .json(202, headers: [HTTPField("Cache-Control", "no-store")]) { $0.place(place) }
    }

    /// 202 with the places of several records.
    static func accepted(_ places: [RecordPlace]) -> HTTPResponse {
        .json(202, headers: [HTTPField("Cache-Control", "no-store")]) { json in
            json.beginObject()
            json.array("items", places) { $0.place($1) }
            json.endObject()
        }
    }
}

extension JSONWriter {
    mutating func place(_ place: RecordPlace) {
        beginObject()
        string("topic", place.topic)
        integer("partition", place.partition.rawValue)
        integer("offset", place.offset.rawValue)
        endObject()
    }
}

extension Problem {
    /// The problem of records that the log did not take.
    static func notWritten(_ error: LogError, _ records: [OutgoingRecord]) -> Problem {
        let topics = records.map(\.topic)
        let topic = topics.first(where: { error.message.contains($0) }) ?? topics.first ?? ""
        let again =
            records.count > 1 ? " Some of the records may be written; it does no harm to send all again." : ""
        switch error.code {
        case .recordTooLarge:
            return .recordTooLarge("The topic \(topic) takes no record of this size (max.message.bytes).\(again)")
        case .queueFull: return .unavailable("Too many records wait for the brokers.\(again)")
        case .notAuthorised:
            let permission =
                error.name.contains("CLUSTER") ? "IdempotentWrite on the cluster" : "Write on the topic \(topic)"
            return Problem(
                503, "missing-permission", "The server may not write there.",
                detail: "The server's user lacks the ACL \(permission).", headers: [HTTPField("Retry-After", "60")])
        case .unknownTopicOrPartition:
            return Problem(
                503, "missing-topic", "The topic does not exist.",
                detail: "There is no topic \(topic); 'tideline topics' makes it.",
                headers: [HTTPField("Retry-After", "10")])
        case .timedOut, .unreachable:
            return .unavailable(
                "No broker has acknowledged it in time; it may be written all the same.\(again)")
        default: return .unavailable("The record was not taken (\(error.name)).\(again)")
        }
    }

    static func recordTooLarge(_ detail: String) -> Problem {
        Problem(413, "record-too-large", "A record is too large.", detail: detail)
    }

    /// 504: the record is written, and its outcome did not come in time.
    static func notYet(_ place: RecordPlace) -> Problem {
        var problem = Problem.waitTimedOut("The record is written, and its outcome is not committed yet.")
        problem.written = place
        return problem
    }
}
