extension Duration {
    /// `0.4 s`, `12 s`, `3 min 5 s`, `2 h 1 min`.
    var shortText: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        let seconds = Int((self / .seconds(1)).rounded())
        switch seconds {
        case ..<10: return "\(tenths / 10).\(abs(tenths % 10)) s"
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
