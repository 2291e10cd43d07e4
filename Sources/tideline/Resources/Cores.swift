import Foundation
import Observability

/// The cores that the process counts with where it divides its work.
enum Cores {
    /// Those that the system lets it run on, or as many as the quota of its control group gives, such as a container's,
    /// where these are fewer; 1 or more. Does not change while the process runs.
    static let count = ControlGroup().cores(of: max(1, ProcessInfo.processInfo.activeProcessorCount))
}
