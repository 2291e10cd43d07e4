import Foundation
import TidelineClient

/// A key that the reader knows.
enum Key: Sendable {
    case up, down, goOn, dismiss, sync, quit
}

/// The terminal, without echo and line editing, with a screen of its own.
final class Terminal: Sendable {
    private let before: termios

    /// `nil` if standard input or output is no terminal.
    init?() {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else {
            return nil
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        Self.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Leaves the terminal as it was.
    func restore() {
        Self.write("\u{1B}[?25h\u{1B}[?1049l")
        var settings = before
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// The columns and rows.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Shows these lines and nothing else.
    func draw(_ lines: [String]) {
        Self.write("\u{1B}[H" + lines.map { "\($0.printable)\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Calls `each` with each key on a thread of its own, and with `nil` at the end of the input.
    func readKeys(_ each: @escaping @Sendable (Key?) -> Void) {
        Thread {
            var bytes = [UInt8](repeating: 0, count: 16)
            while true {
                let count = read(STDIN_FILENO, &bytes, bytes.count)
                guard count > 0 else { break }
                for key in Self.keys(bytes[..<count]) { each(key) }
            }
            each(nil)
        }
        .start()
    }

    /// The keys of what came at once: who types fast, or pastes, sends several.
    private static func keys(_ bytes: ArraySlice<UInt8>) -> [Key] {
        var rest = String(decoding: bytes, as: UTF8.self)[...]
        var keys: [Key] = []
        while !rest.isEmpty {
            if let (text, key) = names.first(where: { rest.hasPrefix($0.text) }) {
                keys.append(key)
                rest = rest.dropFirst(text.count)
            } else {
                rest = rest.dropFirst()
            }
        }
        return keys
    }

    private static let names: [(text: String, key: Key)] = [
        ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("k", .up), ("\u{1B}[B", .down), ("\u{1B}OB", .down), ("j", .down),
        ("c", .goOn), ("d", .dismiss), ("s", .sync), ("q", .quit), ("\u{3}", .quit), ("\u{4}", .quit),
    ]

    private static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}

extension ReadingSession {
    /// Does what a key says.
    func press(_ key: Key) async {
        switch key {
        case .up: await go(to: (place ?? 0) - 1)
        case .down: await go(to: (place ?? -1) + 1)
        case .goOn: _ = await goOn()
        case .dismiss: await dismiss()
        case .sync: await store.syncAcrossDevices()
        case .quit: break
        }
    }

    /// The lines of the screen: the timeline around the reader, what is suggested, and how the server is.
    func screen(_ size: (columns: Int, rows: Int)) -> [String] {
        var bottom: [String] = []
        if let suggestion = suggestions.first {
            bottom += ["Continue reading? \(suggestion.title)", "  \(suggestion.description)  c Continue   d Dismiss"]
        }
        if let problem { bottom.append(problem) }
        let last = store.lastSyncTime.current.map { " (last success \($0.rfc3339))" } ?? ""
        bottom.append("\(store.deviceId): \(store.syncStatus.current.text)\(last)")
        bottom.append("up, down: read   s: sync   q: quit")

        let title = loaded.map { "\($0.timeline.configurationId), revision \($0.timeline.revision)" } ?? "Loading..."
        let room = max(1, size.rows - bottom.count - 3)
        let first = max(0, min((place ?? 0) - room / 2, entries.count - room))
        let shown = entries.enumerated().dropFirst(first).prefix(room).map { index, entry in
            "\(index == place ? ">" : " ") \(entry.date.rfc3339)  \(entry.text)"
        }
        let space = Array(repeating: "", count: max(0, room - shown.count))
        return ([title, ""] + shown + space + [""] + bottom).map { String($0.prefix(size.columns)) }
    }
}

extension String {
    /// The text without control characters: titles are other people's, and a terminal obeys what is in them.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
