extension Logger {
    /// How much a record matters. Ascends from `trace` to `critical`.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        case trace
        case debug
        case info
        case notice
        case warning
        case error
        case critical

        package static func < (left: Self, right: Self) -> Bool {
            left.severity < right.severity
        }

        private var severity: Int {
            switch self {
            case .trace: 0
            case .debug: 1
            case .info: 2
            case .notice: 3
            case .warning: 4
            case .error: 5
            case .critical: 6
            }
        }
    }
}
