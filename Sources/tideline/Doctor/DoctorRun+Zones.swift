import Diagnosis
import Foundation
import RecordLog
import StreamCore
import StreamRuntime

extension DoctorRun {
    /// Compares the zone data of those who wrote the state last with that of this program. Nobody has to be asked for
    /// that (`--ask`).
    func lookAtZones(_ found: [String: TopicDescription]) {
        guard let tasks = found[own.state]?.partitions else { return }
        let check = StateCheck(environment.cluster, clientId: application + "-doctor", requests: environment.requests)
        do throws(StreamFailure) {
            let headers = try check.headers(of: own.state, partitions: tasks, topology)
            var versions: [Int32: String] = [:]
            for (partition, header) in headers where !header.zoneData.isEmpty {
                versions[partition.rawValue] = header.zoneData
            }
            let facts = ZoneFacts(topic: own.state, versions: versions)
            report.add([facts.finding(here: TimeZone.timeZoneDataVersion)].compactMap(\.self))
        } catch {
            // What cannot be read is told by the check `writers`.
        }
    }
}
