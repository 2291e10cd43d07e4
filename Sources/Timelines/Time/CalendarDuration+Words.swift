extension CalendarDuration {
    /// In English words: "15 minutes", "1 day 2 hours"; "0 seconds" for none. What is less than a second is left out.
    package var inWords: String {
        let seconds = time.milliseconds / 1000
        let parts = [
            (Int64(days), "day"), (seconds / 3600, "hour"), (seconds / 60 % 60, "minute"), (seconds % 60, "second"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        return words.isEmpty ? "0 seconds" : words.joined(separator: " ")
    }
}
