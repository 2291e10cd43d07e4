package import Foundation

/// Prometheus's program that checks and plays alerts.
package enum Promtool {
    package static let url = URL(filePath: "/usr/bin/promtool")

    /// What to do where it is missing.
    package static let hint = "promtool is missing; Scripts/setup monitoring installs it"

    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: url.path) }

    /// False where tests that need it are skipped: it is missing, and so is `../shared`. Where that lies beside the
    /// package everything is to be tested, and they fail without it.
    package static var isExpected: Bool { isInstalled || SharedData.isThere }
}
