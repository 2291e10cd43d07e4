extension SettingsSchema {
    /// The settings as text for a terminal: name, what is allowed, default, variable and purpose of each, then the free
    /// prefixes. Lines are at most `columns` long where words allow.
    package func reference(columns: Int = 80) -> String {
        var lines: [String] = []
        func add(_ text: String) {
            lines += Self.wrap(text, indent: 4, columns: columns)
        }
        for declaration in declarations {
            lines.append(declaration.name)
            add(declaration.documentation)
            add("Allowed is \(declaration.allowed).")
            let value = declaration.defaultText.isEmpty ? "none" : shownDefault(of: declaration)
            add("Default: \(value). Variable: \(variable(for: declaration.name))")
        }
        for prefix in prefixes {
            lines.append("\(prefix.name).*")
            add(prefix.documentation)
            add("Variable: \(variable(for: prefix.name))_…, with _ for each dot.")
        }
        return lines.joined(separator: "\n")
    }

    /// The settings as a Markdown table, for documents.
    package var markdownTable: String {
        var lines = ["| setting | allowed | default | what it is for |", "|---|---|---|---|"]
        for declaration in declarations {
            let value = declaration.defaultText.isEmpty ? "" : "`\(shownDefault(of: declaration))`"
            let cells = ["`\(declaration.name)`", declaration.allowed, value, declaration.documentation]
            lines.append("| \(cells.map(Self.escapingPipes).joined(separator: " | ")) |")
        }
        for prefix in prefixes {
            lines.append("| `\(prefix.name).*` | any | | \(Self.escapingPipes(prefix.documentation)) |")
        }
        return lines.joined(separator: "\n")
    }

    private func shownDefault(of declaration: any SettingDeclaration) -> String {
        Secrets.redact(declaration.defaultText, of: declaration.name)
    }

    private static func escapingPipes(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }

    private static func wrap(_ text: String, indent: Int, columns: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > columns {
                lines.append(line)
                line = margin
            }
            line += line.count > indent ? " \(word)" : "\(word)"
        }
        return lines + [line]
    }
}
