import Arguments
import Foundation
import Testing

/// Runs the scripts in their shells. bash must be there; zsh and fish are asked where they are installed.
@Suite("Completion")
struct CompletionTests {
    /// Lines of words, of which the last is being typed, and what is offered for it among the files of the test.
    static let cases: [(words: [String], offered: [String])] = [
        (["tide", "d"], ["demo"]),
        (["tide", ""], ["demo", "explain", "help", "produce", "sink"]),
        (["tide", "--v"], ["--version"]),
        (["tide", "help", "p"], ["produce"]),
        (["tide", "--generate-completion-script", "z"], ["zsh"]),
        (["tide", "produce", ""], ["calendar", "telemetry"]),
        (["tide", "demo", "--no"], ["--no-colors"]),
        (["tide", "produce", "telemetry", "--fo"], ["--format"]),
        (["tide", "produce", "telemetry", "--format", ""], ["capmetrics", "ndsbr"]),
        (["tide", "produce", "telemetry", "--format", "capmetrics", "--out"], ["--output"]),
        (["tide", "produce", "telemetry", "--csv", "d"], ["day.csv", "days/"]),
        (["tide", "produce", "telemetry", "--csv", "day.csv", "o"], ["old.csv"]),
        (["tide", "produce", "telemetry", "--csv", "day.csv", "--fo"], ["--format"]),
        (["tide", "produce", "telemetry", "--output", "d"], ["days/"]),
        (["tide", "produce", "telemetry", "--set", "com"], ["commit.interval="]),
        (["tide", "produce", "calendar", "no"], ["notes.txt"]),
        (["tide", "explain", "--"], ["--help"]),
    ]

    @Test("bash offers what was declared")
    func bash() async throws {
        try #require(Self.find("bash") != nil, "bash is part of every Debian")
        let directory = try Scratch()
        for (words, offered) in Self.cases {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let script = """
                source ./script
                COMP_WORDS=(\(list)) COMP_CWORD=\(words.count - 1)
                _tide
                for reply in "${COMPREPLY[@]}"; do
                    if [[ -d $reply ]]; then echo "$reply/"; else echo "$reply"; fi
                done | sort
                """
            let answer = try await directory.run("bash", completion: .bash, script)
            #expect(answer == offered, "\(words)")
        }
    }

    @Test("bash keeps an option's value apart from its equals sign")
    func bashEqualsSign() async throws {
        let directory = try Scratch()
        for options in ["--format = cap", "--format = ndsbr --format = cap"] {
            let list = "tide produce telemetry \(options)"
            let words = list.split(separator: " ")
            let script = """
                source ./script
                COMP_WORDS=(\(list)) COMP_CWORD=\(words.count - 1)
                _tide
                echo ${COMPREPLY[@]}
                """
            #expect(try await directory.run("bash", completion: .bash, script) == ["capmetrics"])
        }
    }

    @Test("zsh offers what was declared")
    func zsh() async throws {
        guard Self.find("zsh") != nil else {
            print("zsh is not installed: its completion script was not run")
            return
        }
        let directory = try Scratch()
        // zsh completes in its line editor only: a shell on a pseudo-terminal notes what is offered there.
        try directory.write(
            """
            PROMPT=
            autoload -Uz compinit
            compinit -D -u
            source ./script
            zstyle ':completion:*' completer _complete
            compadd() {
                if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
                    local -a hits
                    builtin compadd -O hits "$@"
                    print -rl -- $hits >> offers
                fi
                builtin compadd "$@"
            }
            comppostfuncs=(offered)
            # The list of functions is emptied each time. The quotes keep the terminal's echo of these lines from being
            # taken for their output.
            offered() { print OFFE''RED; comppostfuncs=(offered) }
            bindkey '^I' complete-word
            print REA''DY
            """, to: "setup")
        let lines = Self.cases.map { "'\($0.words.joined(separator: " "))'" }
        let answer = try await directory.run(
            "zsh", completion: .zsh,
            """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell 'source ./setup'
            zpty -r -m shell output '*READY*'
            for line in \(lines.joined(separator: " ")); do
                : > offers
                # Control-U takes away the line before.
                zpty -w -n shell $'\\x15'$line$'\\t'
                zpty -r -m shell output '*OFFERED*'
                print -r -- $line
                while read -r offer; do
                    if [[ -d $offer ]]; then print -r -- $offer/; elif [[ -n $offer ]]; then print -r -- $offer; fi
                done < offers | sort -u
            done
            zpty -d shell
            """)
        #expect(answer == Self.cases.flatMap { [$0.words.joined(separator: " ")] + $0.offered })
    }

    @Test("fish offers what was declared")
    func fish() async throws {
        guard Self.find("fish") != nil else {
            print("fish is not installed: its completion script was not run")
            return
        }
        let directory = try Scratch()
        for (words, offered) in Self.cases {
            let line = words.joined(separator: " ")
            let answer = try await directory.run(
                "fish", completion: .fish,
                "source ./script; complete -C '\(line)' | string replace -r '\\t.*' '' | sort -u")
            #expect(answer == offered, "\(words)")
        }
    }

    private static func find(_ program: String) -> URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(filePath: "\($0)/\(program)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// A directory with some files, removed at the end.
    private final class Scratch {
        let url: URL

        init() throws {
            url = FileManager.default.temporaryDirectory.appending(path: "completion-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: url.appending(path: "days"), withIntermediateDirectories: true)
            for name in ["day.csv", "old.csv", "notes.txt", "document.pdf"] {
                try Data().write(to: url.appending(path: name))
            }
        }

        deinit {
            try? FileManager.default.removeItem(at: url)
        }

        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: url.appending(path: name))
        }

        /// Runs a shell's script here, where the completion script lies as `script`, and gives its lines.
        func run(_ program: String, completion shell: CompletionShell, _ script: String) async throws -> [String] {
            try write(Tide.completionScript(for: shell), to: "script")
            let executable = try #require(CompletionTests.find(program))
            let timeout = try #require(CompletionTests.find("timeout"), "timeout is part of coreutils")
            let process = Process()
            process.executableURL = timeout
            let ownFilesOnly =
                switch shell {
                case .bash: "--norc"
                case .zsh: "-f"
                case .fish: "--no-config"
                }
            process.arguments = ["60", executable.path, ownFilesOnly, "-c", script]
            process.currentDirectoryURL = url
            var environment = ProcessInfo.processInfo.environment
            environment["HOME"] = url.path
            environment["LC_ALL"] = "C"
            process.environment = environment
            let output = Pipe()
            let problems = Pipe()
            process.standardOutput = output
            process.standardError = problems
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let text = await Self.text(of: output)
            let complaint = await Self.text(of: problems)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(program) ended badly")
            #expect(complaint.isEmpty, "\(program): \(complaint)")
            return text.split(separator: "\n").map(String.init)
        }

        /// All that comes through a pipe, awaited on a thread of its own.
        private static func text(of pipe: Pipe) async -> String {
            let file = pipe.fileHandleForReading
            return await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: String(decoding: file.readDataToEndOfFile(), as: UTF8.self))
                }
            }
        }
    }
}
