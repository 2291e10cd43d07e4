/// Text inside HTML and SVG. Everything that comes from a file goes through here.
enum Markup {
    static func escaped(_ text: String) -> String { escapedLine(DataText.cleaned(text)) }

    /// A line of an entry, which is clean already; its isolates stay, as a picture and a tooltip need them.
    static func escapedLine(_ line: String) -> String {
        var result = ""
        result.reserveCapacity(line.utf8.count)
        for scalar in line.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same with isolates as elements.
    static func isolatedLine(_ line: String) -> String {
        escapedLine(line).replacing("\(DataText.isolate)", with: "<bdi>")
            .replacing("\(DataText.endOfIsolate)", with: "</bdi>")
    }

    /// A coordinate with at most two decimals.
    static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        var text = (hundredths < 0 ? "-" : "") + String(whole)
        if rest != 0 { text += "." + (rest < 10 ? "0" : "") + (rest % 10 == 0 ? String(rest / 10) : String(rest)) }
        return text
    }

    /// The text cut to so many columns, with an ellipsis if something is left out; `nil` means that nothing useful
    /// stays.
    static func fitted(_ text: String, columns: Int) -> String? {
        DisplayWidth.of(text) <= columns || columns >= 4 ? DisplayWidth.fitted(text, to: columns) : nil
    }
}
