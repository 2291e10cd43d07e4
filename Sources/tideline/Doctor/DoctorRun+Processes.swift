import Diagnosis
import Foundation
import HTTPClient
import Settings

extension DoctorRun {
    /// Asks processes for their health, all at once.
    ///
    /// - Parameter addresses: where they serve their metrics.
    /// - Returns: the tasks that they restore.
    func lookAtProcesses(_ addresses: [ListenAddress]) throws(CommandFailure) -> Set<Int32> {
        if addresses.isEmpty { return [] }
        var configuration = HTTPClientConfiguration()
        configuration.connectTimeout = .seconds(2)
        configuration.timeout = Self.patience
        let client = HTTPClient(configuration)
        defer { client.shutdown() }
        for (number, address) in addresses.enumerated() {
            client.execute(HTTPClientRequest(.GET, url: "http://\(address)/health/ready"), tag: number)
        }
        var answers: [Int: (answer: ProcessFacts.Answer, notices: [ProcessFacts.Problem])] = [:]
        while answers.count < addresses.count {
            try goOn()
            for completion in client.completions(timeout: .milliseconds(200)) {
                answers[completion.tag] = Self.answer(completion.result)
            }
        }
        var restored: Set<Int32> = []
        for (number, address) in addresses.enumerated() {
            guard let answer = answers[number] else { continue }
            let facts = ProcessFacts(address: "\(address)", answer: answer.answer, notices: answer.notices)
            report.add(facts.findings)
            restored.formUnion(facts.restoredTasks)
            let zones = facts.zoneFinding(here: TimeZone.timeZoneDataVersion, command: command)
            if let zones { report.add([zones]) }
        }
        return restored
    }

    private struct Health: Decodable {
        /// In each answer of Tideline's; other servers, too, answer with objects.
        var status: String
        var problems: [ProcessFacts.Problem]?
        var zoneData: String?
        /// Absent from a release that has none.
        var notices: [ProcessFacts.Problem]?
    }

    private static func answer(
        _ result: Result<HTTPClientResponse, HTTPClientError>
    ) -> (answer: ProcessFacts.Answer, notices: [ProcessFacts.Problem]) {
        switch result {
        case .failure(let error): return (.failed("\(error)"), [])
        case .success(let response):
            guard response.status == 200 || response.status == 503,
                let health = try? JSONDecoder().decode(Health.self, from: Data(response.body))
            else { return (.failed("status \(response.status), which is no answer of Tideline's"), []) }
            return (.answered(health.problems ?? [], zoneData: health.zoneData), health.notices ?? [])
        }
    }
}
