/// Lines no longer than a terminal is wide.
enum TextWrapping {
    /// Breaks a text between words.
    ///
    /// - Parameters:
    ///   - indent: Spaces before each line.
    ///   - firstIndent: Spaces before the first line, where they differ.
    ///   - continuation: Ends each line but the last.
    static func wrap(
        _ text: String, columns: Int, indent: Int = 0, firstIndent: Int? = nil, continuation: String = ""
    ) -> String {
        var lines: [String] = []
        var line = String(repeating: " ", count: firstIndent ?? indent)
        var isEmpty = true
        for word in words(text) {
            if !isEmpty, line.count + 1 + word.count + continuation.count > columns {
                lines.append(line + continuation)
                line = String(repeating: " ", count: indent)
                isEmpty = true
            }
            line += isEmpty ? word : " \(word)"
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// As ``wrap(_:columns:indent:firstIndent:continuation:)``, paragraph by paragraph; an empty line separates them.
    static func wrapParagraphs(_ text: String, columns: Int) -> String {
        var paragraphs: [[Substring]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy(\.isWhitespace) {
                paragraphs.append([])
            } else {
                paragraphs[paragraphs.count - 1].append(line)
            }
        }
        return paragraphs.filter { !$0.isEmpty }
            .map { wrap($0.joined(separator: " "), columns: columns) }
            .joined(separator: "\n\n")
    }

    /// What stands between spaces and line ends.
    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }
}
