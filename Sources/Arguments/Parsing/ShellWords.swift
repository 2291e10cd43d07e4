/// The words of a line as a shell sees it: as much of POSIX quoting as examples use.
enum ShellWords {
    /// The simple commands of a line, without what is redirected to or from.
    static func commands(of line: String) -> [[String]] {
        var commands: [[String]] = [[]]
        var skipsNext = false
        for word in words(of: line) {
            if !word.isQuoted, ["|", "||", "&&", ";", "&"].contains(word.text) {
                commands.append([])
            } else if !word.isQuoted, ["<", ">", ">>", "2>"].contains(word.text) {
                skipsNext = true
            } else if skipsNext {
                skipsNext = false
            } else {
                commands[commands.count - 1].append(word.text)
            }
        }
        return commands.filter { !$0.isEmpty }
    }

    private static func words(of line: String) -> [(text: String, isQuoted: Bool)] {
        var words: [(text: String, isQuoted: Bool)] = []
        var current: (text: String, isQuoted: Bool)?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                current = ((current?.text ?? "") + String(character), true)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                current = (current?.text ?? "", true)
            } else if quote == nil, character.isWhitespace {
                current.map { words.append($0) }
                current = nil
            } else {
                current = ((current?.text ?? "") + String(character), current?.isQuoted ?? false)
            }
        }
        current.map { words.append($0) }
        return words
    }
}
