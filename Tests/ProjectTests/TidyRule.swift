import Testing

/// A habit of the sources that a machine can check.
struct TidyRule: Sendable, CustomTestStringConvertible {
    let name: String
    /// Text that breaks the rule, as a file of module `StreamCore`: what finds nothing here finds nothing anywhere.
    let counterexample: String
    let violations: @Sendable (SourceFile) -> [Violation]

    var testDescription: String { name }

    static let all = [
        maximumFileLength, maximumLineLength, maximumFunctionLength, sentences, nothingLeftOpen, everythingInjected,
        silence,
    ]

    // MARK: - Lengths

    static let maximumFileLength = TidyRule(
        name: "a file of Sources has at most 250 lines, one of Tests 400",
        counterexample: String(repeating: "\n", count: 251)
    ) { file in
        let maximum = file.path.hasPrefix("Sources/") ? 250 : 400
        // A final newline makes an empty last element.
        let count = file.lines.count - (file.lines.last?.text == "" ? 1 : 0)
        let problem = "\(count) lines; at most \(maximum)"
        return count <= maximum ? [] : [Violation(path: file.path, line: count, problem: problem)]
    }

    static let maximumLineLength = TidyRule(
        name: "a line has at most 120 columns", counterexample: "//" + String(repeating: "/", count: 119)
    ) { file in
        file.lines.filter { $0.text.count > 120 }.map {
            Violation(path: file.path, line: $0.number, problem: "\($0.text.count) columns; at most 120")
        }
    }

    static let maximumFunctionLength = TidyRule(
        name: "a function has at most 70 lines",
        counterexample: "    func f() {\n" + String(repeating: "        g()\n", count: 69) + "    }\n"
    ) { file in
        file.lines.indices.compactMap { index in
            let line = file.lines[index]
            guard ["func ", "init(", "init?(", "init<"].contains(where: line.uses) else { return nil }
            let count = bodyEnd(in: file.lines, from: index) - index + 1
            return count <= 70
                ? nil
                : Violation(path: file.path, line: index + 1, problem: "a function of \(count) lines; at most 70")
        }
    }

    /// The index of the line that closes the function at `start`, or `start` where it has no body of several lines.
    ///
    /// In formatted code that is the first line that is no deeper and begins with a brace.
    private static func bodyEnd(in lines: [SourceFile.Line], from start: Int) -> Int {
        let indentation = lines[start].text.prefix { $0 == " " }
        for index in lines.indices.dropFirst(start + 1) where lines[index].text != "" {
            let text = lines[index].text
            let isDeeper = text.prefix { $0 == " " }.count > indentation.count
            let endsSignature = text.hasPrefix(indentation + ")")
            if isDeeper || endsSignature { continue }
            return text.hasPrefix(indentation + "}") ? index : start
        }
        return start
    }

    // MARK: - Words

    /// "Nil: nothing yet" leaves the reader to find the subject and the verb.
    static let sentences = TidyRule(
        name: "a doc comment is sentences: it begins with no bare Nil, Of or Whether",
        counterexample: "/// Nil: nothing was published yet."
    ) { file in
        file.lines.indices.filter { index in
            let isFirst = index == 0 || !file.lines[index - 1].text.contains(/^\s*\/\/\/ +\S/)
            let opening = isFirst ? /^\s*\/\/\/ (Nil|Of|Whether)\b/ : /^\s*\/\/\/ - \w+: (Nil|Of|Whether)\b/
            return file.lines[index].text.contains(opening)
        }
        .map {
            Violation(path: file.path, line: file.lines[$0].number, problem: "a comment that is no sentence")
        }
    }

    static let nothingLeftOpen = TidyRule(
        name: "nothing is left open, forced to succeed or certain to fail", counterexample: "// FIXME: later"
    ) { file in
        // Comments count.
        file.lines.flatMap { line in
            ["FIXME", "TODO", "XXX", "try!", "fatalError("].filter { line.text.contains($0) }.map {
                Violation(path: file.path, line: line.number, problem: $0)
            }
        }
    }

    /// Clocks, chance and waiting come from outside, and only the composition root knows the real ones. A library has
    /// its root in the apps that use it; one file of it has what they take by default.
    static let everythingInjected = TidyRule(
        name: "clocks, chance and waiting are injected", counterexample: "let now = Date()"
    ) { file in
        guard file.module != compositionRoot, file.path != defaultPorts else { return [] }
        let banned = [
            "Date()", "Date.now", "UUID()", "Task.sleep", "SystemRandomNumberGenerator", ".shuffled()",
            ".randomElement()",
        ]
        return file.lines.flatMap { line in
            banned.filter { line.uses($0) }.map {
                Violation(path: file.path, line: line.number, problem: "\($0) outside \(compositionRoot)")
            }
        }
    }

    static let silence = TidyRule(
        name: "only the executable prints", counterexample: #"print("here")"#
    ) { file in
        guard file.module != compositionRoot else { return [] }
        return file.lines.filter { $0.uses("print(") && !$0.code.contains("func print(") }.map {
            Violation(path: file.path, line: $0.number, problem: "print outside \(compositionRoot)")
        }
    }

    private static let compositionRoot = "tideline"
    private static let defaultPorts = "Sources/TidelineClient/Ports/SystemPorts.swift"
}
