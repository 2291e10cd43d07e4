import Foundation
import TestSupport

/// A block of shell commands in a page: what stands between "```sh" and "```".
struct ShellBlock: Sendable, CustomStringConvertible {
    /// The path of the page, from the root of the package.
    var page: String
    /// The line of its first command, from 1.
    var line: Int
    var commands: [String]
    /// The reason why the test does not run it, as in the line before the block: `<!-- not run: reason -->`.
    var reasonNotToRun: String?

    var description: String { "\(page):\(line)" }

    /// The first command without the comment behind it; empty if there is no command.
    var firstCommand: String {
        let command = commands.first { !$0.trimmingCharacters(in: .whitespaces).isEmpty } ?? ""
        return (command.firstRange(of: " #").map { String(command[..<$0.lowerBound]) } ?? command)
            .trimmingCharacters(in: .whitespaces)
    }
}

extension ShellBlock {
    /// The pages that a reader meets: the README, all below Documentation and that of the schemas, by path.
    static func pages() throws -> [String] {
        let folder = PackageRoot.url.appending(path: "Documentation")
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let documentation = found.filter { $0.hasSuffix(".md") }.map { "Documentation/" + $0 }.sorted()
        return ["README.md"] + documentation + ["schemas/README.md"]
    }

    static func all(in page: String) throws -> [ShellBlock] {
        blocks(of: try String(contentsOf: PackageRoot.url.appending(path: page), encoding: .utf8), page: page)
    }

    /// Fences of `sh`, also indented ones, as in a list.
    static func blocks(of text: String, page: String) -> [ShellBlock] {
        var blocks: [ShellBlock] = []
        var open: ShellBlock?
        var reason: String?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if var block = open {
                if trimmed == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    block.commands.append(String(line))
                    open = block
                }
            } else if trimmed == "```sh" {
                open = ShellBlock(page: page, line: index + 2, commands: [], reasonNotToRun: reason)
            }
            if let match = trimmed.wholeMatch(of: /<!-- not run: (.+) -->/) {
                reason = String(match.1)
            } else if !trimmed.isEmpty {
                reason = nil
            }
        }
        return blocks
    }
}

/// One bash that runs the blocks of a page from top to bottom, as a reader would in one terminal.
struct ShellSession {
    var blocks: [ShellBlock]
    var directory: URL

    /// The script. It names each block on standard error before it runs it, and ends at the first command that fails.
    /// Jobs in the background end with it.
    var script: String {
        var lines = [
            "set -euo pipefail",
            #"trap 'status=$?; kill $(jobs -p) 2> /dev/null || true; wait; exit $status' EXIT"#,
        ]
        for block in blocks {
            lines.append("echo '@ \(block)' >&2")
            lines += block.commands
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Makes the folder that the blocks run in, with what they use of a clone.
    func prepare() throws {
        for name in ["Examples", "schemas", "Scripts", "Makefile"] {
            try FileManager.default.createSymbolicLink(
                at: directory.appending(path: name), withDestinationURL: PackageRoot.url.appending(path: name))
        }
        try Data(script.utf8).write(to: directory.appending(path: "session.sh"))
    }
}
