import Foundation

/// A file of the project that tests write from what the program says. `make reference` writes it anew; without that a
/// test says where the file is out of date.
package struct GeneratedFile {
    /// From the root of the package.
    package let path: String

    private var url: URL { PackageRoot.url.appending(path: path) }

    package init(path: String) {
        self.path = path
    }

    /// Writes the file where `make reference` runs.
    ///
    /// - Returns: nil where the file is `text` now, else the first line that differs, and how to write the file anew.
    /// - Throws: where the file cannot be written.
    package func difference(from text: String) throws -> String? {
        if ProcessInfo.processInfo.environment["TIDELINE_TEST_WRITE_REFERENCE"] == "1" {
            try Data(text.utf8).write(to: url, options: .atomic)
            return nil
        }
        let found = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        if found == text { return nil }
        let old = found.split(separator: "\n", omittingEmptySubsequences: false)
        let new = text.split(separator: "\n", omittingEmptySubsequences: false)
        let line = zip(old, new).prefix { $0 == $1 }.count
        return """
            \(path):\(line + 1) is not what the program says; run 'make reference'.
            is:        \(line < old.count ? old[line] : "the end")
            should be: \(line < new.count ? new[line] : "the end")
            """
    }
}
