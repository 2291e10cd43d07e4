/// Reading trees. JSON is YAML (YAML 1.2 §1.3), so flags and variables are read by the same parser as the file.
extension SettingTree {
    /// - Throws: the places where the text is not what a settings file may hold, with their lines.
    init(_ node: YAMLNode) throws(YAMLErrors) {
        var reader = TreeReader()
        let tree = reader.tree(node, line: node.line)
        guard reader.errors.isEmpty else { throw YAMLErrors(errors: reader.errors) }
        self = tree
    }

    /// JSON text, as flags and variables carry it; an empty one is null.
    init(json text: String) throws(YAMLErrors) {
        let parser = YAMLParser(Self.joiningSurrogates(text))
        let node: YAMLNode?
        do throws(YAMLError) {
            node = try parser.nextDocument()
            if let next = try parser.nextDocument() {
                throw YAMLError(message: "one value is expected; this begins another", line: next.line)
            }
        } catch {
            throw YAMLErrors(errors: [error])
        }
        guard let node else {
            self.init(.null)
            return
        }
        try self.init(node)
    }

    /// JSON's escapes of characters beyond the first 65,536, `\ud83d\ude97`, as the characters: YAML has no pairs.
    private static func joiningSurrogates(_ text: String) -> String {
        guard text.contains("\\u") else { return text }
        let pair =
            #/
            (?<before> (?: ^ | [^\\] ) (?: \\\\ )* )
            \\u (?<high> [dD] [89abAB] [0-9a-fA-F]{2} )
            \\u (?<low> [dD] [c-fC-F] [0-9a-fA-F]{2} )
            /#
        var result = text
        // Each pass leaves what follows a pair directly to the next one.
        while let match = result.firstMatch(of: pair) {
            guard let high = UInt32(match.high, radix: 16), let low = UInt32(match.low, radix: 16),
                let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
            else { return result }
            result.replaceSubrange(match.range, with: match.before + String(Character(scalar)))
        }
        return result
    }
}

/// All that is wrong with one tree; never empty.
struct YAMLErrors: Error {
    let errors: [YAMLError]
}

private struct TreeReader {
    private(set) var errors: [YAMLError] = []

    mutating func tree(_ node: YAMLNode, line: Int) -> SettingTree {
        switch node.content {
        case .null: return SettingTree(.null, line: line)
        case .scalar(let scalar): return SettingTree(Self.content(of: scalar), line: line)
        case .list(let nodes): return SettingTree(.list(nodes.map { tree($0, line: $0.line) }), line: line)
        case .map(let pairs): return SettingTree(.map(map(pairs)), line: line)
        case .alias:
            errors.append(YAMLError(message: YAMLError.aliasMessage, line: node.line))
            return SettingTree(.null, line: line)
        }
    }

    private mutating func map(_ pairs: [(key: YAMLNode, value: YAMLNode)]) -> [(key: String, value: SettingTree)] {
        var result: [(key: String, value: SettingTree)] = []
        for (key, value) in pairs {
            guard case .scalar(let name) = key.content else {
                errors.append(YAMLError(message: "a key is a text", line: key.line))
                continue
            }
            let tree = tree(value, line: key.line)
            if let first = result.first(where: { $0.key == name.text }) {
                let message = "\(name.text) stands at line \(first.value.line) already"
                errors.append(YAMLError(message: message, line: key.line))
            } else {
                result.append((name.text, tree))
            }
        }
        return result
    }

    private static func content(of scalar: YAMLNode.Scalar) -> SettingTree.Content {
        guard scalar.isPlain else { return .text(scalar.text) }
        switch scalar.text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case let text: return isNumber(text) ? .number(text) : .text(text)
        }
    }

    /// RFC 8259 §6; what else YAML takes for a number, such as 0x1F, has no form in JSON.
    private static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
    }
}
