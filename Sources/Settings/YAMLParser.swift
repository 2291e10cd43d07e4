import CYaml

/// A value of a YAML document and the line, from 1, where it begins.
struct YAMLNode {
    indirect enum Content {
        case null
        case scalar(Scalar)
        case list([YAMLNode])
        case map([(key: YAMLNode, value: YAMLNode)])
        case alias
    }

    struct Scalar {
        let text: String
        /// Neither quoted nor a block.
        let isPlain: Bool
    }

    let content: Content
    let line: Int
}

/// A text that is not YAML.
struct YAMLError: Error {
    let message: String
    let line: Int

    static let aliasMessage = "anchors and aliases are not supported; write the value out"
}

/// Reads the documents of a text through libyaml, which it owns. For one thread.
final class YAMLParser {
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    /// libyaml reads from here until the parser is deleted.
    private let input: UnsafeMutableBufferPointer<UInt8>
    private var depth = 0

    /// Deeper than any settings file, and far from the end of the stack.
    private static let deepest = 64

    init(_ text: String) {
        input = .allocate(capacity: text.utf8.count)
        _ = input.initialize(from: text.utf8)
        let status = yaml_parser_initialize(parser)
        precondition(status == 1, "out of memory")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// The next document's value, or `nil` at the end of the text.
    func nextDocument() throws(YAMLError) -> YAMLNode? {
        while true {
            switch try next() {
            case .streamStart, .documentEnd: continue
            case .documentStart: return try node()
            case .streamEnd: return nil
            case .scalar, .listStart, .listEnd, .mapStart, .mapEnd, .alias:
                preconditionFailure("libyaml gives values inside of documents only")
            }
        }
    }

    private func node() throws(YAMLError) -> YAMLNode {
        guard let node = try nodeOrEnd() else {
            preconditionFailure("libyaml gives a value for every key")
        }
        return node
    }

    /// A value, or `nil` at the end of the list or map that is being read.
    private func nodeOrEnd() throws(YAMLError) -> YAMLNode? {
        let event = try next()
        let line = lastLine
        switch event {
        case .scalar(let scalar):
            return YAMLNode(content: scalar.isPlain && Self.isNull(scalar.text) ? .null : .scalar(scalar), line: line)
        case .alias:
            return YAMLNode(content: .alias, line: line)
        case .listStart:
            try enter(line)
            defer { depth -= 1 }
            var nodes: [YAMLNode] = []
            while let node = try nodeOrEnd() { nodes.append(node) }
            return YAMLNode(content: .list(nodes), line: line)
        case .mapStart:
            try enter(line)
            defer { depth -= 1 }
            var pairs: [(key: YAMLNode, value: YAMLNode)] = []
            while let key = try nodeOrEnd() { pairs.append((key, try node())) }
            return YAMLNode(content: .map(pairs), line: line)
        case .listEnd, .mapEnd:
            return nil
        case .streamStart, .streamEnd, .documentStart, .documentEnd:
            preconditionFailure("libyaml ends values before it ends documents")
        }
    }

    private func enter(_ line: Int) throws(YAMLError) {
        depth += 1
        guard depth <= Self.deepest else {
            throw YAMLError(message: "nested deeper than \(Self.deepest) levels", line: line)
        }
    }

    /// YAML 1.2 §10.3.2.
    private static func isNull(_ text: String) -> Bool {
        ["", "~", "null", "Null", "NULL"].contains(text)
    }

    // MARK: - Events

    private enum Event {
        case streamStart, streamEnd, documentStart, documentEnd
        case scalar(YAMLNode.Scalar)
        case listStart, listEnd, mapStart, mapEnd
        case alias
    }

    private var lastLine = 1

    private func next() throws(YAMLError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw error }
        defer { yaml_event_delete(&event) }
        lastLine = event.start_mark.line + 1
        switch event.type {
        case YAML_STREAM_START_EVENT: return .streamStart
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_SEQUENCE_START_EVENT: return .listStart
        case YAML_SEQUENCE_END_EVENT: return .listEnd
        case YAML_MAPPING_START_EVENT: return .mapStart
        case YAML_MAPPING_END_EVENT: return .mapEnd
        case YAML_ALIAS_EVENT: return .alias
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            return .scalar(.init(text: String(decoding: bytes, as: UTF8.self), isPlain: isPlain))
        default: return .streamEnd
        }
    }

    private var error: YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "out of memory"
        let context = parser.pointee.context.map { " \(String(cString: $0))" } ?? ""
        var line = parser.pointee.problem_mark.line + 1
        if parser.pointee.error == YAML_READER_ERROR {
            // A character that YAML does not allow is found before there are marks.
            line = input.prefix(parser.pointee.problem_offset).count { $0 == UInt8(ascii: "\n") } + 1
        }
        return YAMLError(message: "not YAML: \(problem)\(context)", line: line)
    }
}
