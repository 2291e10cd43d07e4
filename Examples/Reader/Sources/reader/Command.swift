import TidelineClient

/// A line of standard input.
enum Command: Hashable, Sendable {
    case list, place, next, previous, restore, suggestions, goOn, dismiss, save, sync, status, export, quit
    case go(String)

    static let usage = """
        list, place, go INDEX-OR-ID, next, previous, restore, suggestions, continue, dismiss, save, sync, status, \
        export, quit
        """

    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        switch (words.first, words.count) {
        case ("list", 1): self = .list
        case ("place", 1): self = .place
        case ("next", 1): self = .next
        case ("previous", 1): self = .previous
        case ("restore", 1): self = .restore
        case ("suggestions", 1): self = .suggestions
        case ("continue", 1): self = .goOn
        case ("dismiss", 1): self = .dismiss
        case ("save", 1): self = .save
        case ("sync", 1): self = .sync
        case ("status", 1): self = .status
        case ("export", 1): self = .export
        case ("quit", 1): self = .quit
        case ("go", 2): self = .go(String(words[1]))
        default: return nil
        }
    }
}

extension ReadingSession {
    /// Does what a command says, and gives its answer: lines that begin with the name of the command.
    func run(_ command: Command) async -> [String] {
        switch command {
        case .list: return list()
        case .place: return [here("place")]
        case .next: return await go("next", to: (place ?? -1) + 1)
        case .previous: return await go("previous", to: (place ?? 0) - 1)
        case .go(let text): return await go("go", to: Int(text) ?? entries.firstIndex { $0.id == text } ?? -1)
        case .restore: return ["restore: \(await restore(nil).method.rawValue) \(here(nil))"]
        case .suggestions:
            await othersMoved()
            return suggestions.isEmpty ? ["suggestions: none"] : suggestions.map { "suggestions: \($0.text)" }
        case .goOn:
            guard await goOn() else { return ["continue: nothing is suggested"] }
            return [here("continue")]
        case .dismiss:
            await dismiss()
            return ["dismiss: done"]
        case .save:
            do {
                try await store.save()
                return ["save: done"]
            } catch {
                return ["save: \(error)"]
            }
        case .sync: return ["sync: \(await store.syncAcrossDevices().text)"]
        case .status:
            let last = store.lastSyncTime.current.map { ", last success \($0.rfc3339)" } ?? ""
            return ["status: \(store.syncStatus.current.text)\(last)"]
        case .export:
            do {
                return try await store.exportStateForDebugging().json().split(separator: "\n").map(String.init)
                    + ["export: done"]
            } catch {
                return ["export: \(error)"]
            }
        case .quit: return []
        }
    }

    private func list() -> [String] {
        guard let loaded else { return ["list: nothing is loaded\(problem.map { ": \($0)" } ?? "")"] }
        let lines = entries.enumerated().map { index, entry in
            "\(index == place ? "*" : " ") \(index) \(entry.date.rfc3339) \(entry.id) \(entry.text)"
        }
        let source = loaded.source == .server ? "server" : "cache"
        return lines + ["list: \(entries.count) entries, revision \(loaded.timeline.revision), from the \(source)"]
    }

    private func go(_ name: String, to index: Int) async -> [String] {
        guard entries.indices ~= index else { return ["\(name): there is no such entry"] }
        await go(to: index)
        return [here(name)]
    }

    private func here(_ name: String?) -> String {
        (name.map { "\($0): " } ?? "") + (entry.map { "\(place ?? 0) \($0.id)" } ?? "nowhere")
    }
}

extension TimelineEntry {
    /// The entry in one line.
    var text: String {
        let positioned = PositionedEntry(self)
        let words = [positioned.title, positioned.location].compactMap(\.self).joined(separator: ", ")
        return words.isEmpty ? phase.rawValue : "\(phase.rawValue) \(words)"
    }
}

extension RestorationSuggestion {
    /// The suggestion in one line.
    var text: String { "Continue reading? \(title) (\(index) \(entryId)). \(description)" }
}

extension SyncStatus {
    /// The status in words.
    var text: String {
        switch self {
        case .idle: "idle"
        case .syncing: "syncing"
        case .success(let at): "success at \(at.rfc3339)"
        case .offline(let pending): "offline, \(pending) pending"
        case .error(let message, let retryAt): "error: \(message), next try at \(retryAt.rfc3339)"
        }
    }
}
