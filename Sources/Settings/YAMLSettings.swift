/// The settings of a YAML file: nested maps become dotted keys, values are scalars and lists of scalars, or trees under
/// the keys that have such.
struct YAMLSettings {
    struct Entry {
        let key: String
        /// `nil` where the file names the key but gives nothing.
        let value: SettingText?
        let line: Int
    }

    private(set) var entries: [Entry] = []
    private(set) var problems: [SettingsProblem] = []
    private let path: String
    private let isTree: (String) -> Bool
    private var linesByKey: [String: Int] = [:]

    /// Reads a whole file, and goes on behind a problem wherever the text is still YAML.
    ///
    /// - Parameter isTree: whether what stands under this key is one value with all its structure.
    static func read(_ file: SettingsSources.File, isTree: @escaping (String) -> Bool) -> YAMLSettings {
        var result = YAMLSettings(path: file.path, isTree: isTree)
        let parser = YAMLParser(file.text)
        do {
            if let root = try parser.nextDocument() {
                result.readRoot(root)
            }
            if let next = try parser.nextDocument() {
                result.report(next.line, "a settings file is one document; this begins another")
            }
        } catch {
            result.report(error.line, error.message)
        }
        return result
    }

    private init(path: String, isTree: @escaping (String) -> Bool) {
        self.path = path
        self.isTree = isTree
    }

    private mutating func readRoot(_ root: YAMLNode) {
        switch root.content {
        case .null: break
        case .map(let pairs): read(pairs, under: "")
        case .scalar, .list, .alias: report(root.line, "a settings file is a map of keys and values")
        }
    }

    private mutating func read(_ pairs: [(key: YAMLNode, value: YAMLNode)], under prefix: String) {
        for (keyNode, value) in pairs {
            guard case .scalar(let scalar) = keyNode.content, !scalar.text.isEmpty else {
                report(keyNode.line, "a key is a text", key: prefix)
                continue
            }
            let key = prefix.isEmpty ? scalar.text : "\(prefix).\(scalar.text)"
            if let first = linesByKey.updateValue(keyNode.line, forKey: key) {
                report(keyNode.line, "stands at line \(first) already", key: key)
                continue
            }
            if isTree(key) {
                addTree(value, key: key, line: keyNode.line)
                continue
            }
            switch value.content {
            case .null: add(key, nil, line: keyNode.line)
            case .scalar(let scalar): add(key, .text(scalar.text), line: keyNode.line)
            case .map(let pairs): read(pairs, under: key)
            case .list(let nodes): addList(nodes, key: key, line: keyNode.line)
            case .alias: report(value.line, YAMLError.aliasMessage, key: key)
            }
        }
    }

    private mutating func addList(_ nodes: [YAMLNode], key: String, line: Int) {
        var texts: [String] = []
        for node in nodes {
            guard case .scalar(let scalar) = node.content else {
                report(node.line, "a list holds plain values only", key: key)
                return
            }
            texts.append(scalar.text)
        }
        add(key, .list(texts), line: line)
    }

    private mutating func addTree(_ node: YAMLNode, key: String, line: Int) {
        do throws(YAMLErrors) {
            add(key, .tree(try SettingTree(node)), line: line)
        } catch {
            for error in error.errors { report(error.line, error.message, key: key) }
        }
    }

    private mutating func add(_ key: String, _ value: SettingText?, line: Int) {
        entries.append(Entry(key: key, value: value, line: line))
    }

    private mutating func report(_ line: Int, _ message: String, key: String = "") {
        problems.append(
            SettingsProblem(source: .file(path: path, line: line), key: key, reason: .unreadable(message)))
    }
}
