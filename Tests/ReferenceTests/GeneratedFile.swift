import Foundation
import TestBroker
import Testing

/// A file of the project that is written from its declarations. `make reference` writes it anew; the tests see that
/// nobody forgot to.
struct GeneratedFile {
    /// From the root of the package.
    let path: String

    private var url: URL { PackageRoot.url.appending(path: path) }

    /// Writes the file where `make reference` runs; expects it to be the same where the tests do.
    func expect(_ text: String) throws {
        if ProcessInfo.processInfo.environment["TIDELINE_TEST_WRITE_REFERENCE"] == "1" {
            try Data(text.utf8).write(to: url, options: .atomic)
            return
        }
        let found = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        let (old, new) = (
            found.split(separator: "\n", omittingEmptySubsequences: false),
            text.split(
                separator: "\n", omittingEmptySubsequences: false)
        )
        let line = zip(old, new).prefix { $0 == $1 }.count
        #expect(
            found == text,
            """
            \(path):\(line + 1) is not what the declarations say; run 'make reference'.
            is:        \(line < old.count ? old[line] : "the end")
            should be: \(line < new.count ? new[line] : "the end")
            """)
    }
}
