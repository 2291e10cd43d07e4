/// How a table is fitted to a terminal.
package struct TableStyle: Hashable, Sendable {
    /// The terminal's width.
    package var columns: Int
    package var isColored: Bool

    package init(columns: Int = 100, isColored: Bool = false) {
        self.columns = columns
        self.isColored = isColored
    }

    /// Select Graphic Rendition codes of ECMA-48.
    enum Emphasis: String {
        case bold = "1"
        case faint = "2"
        /// The entry in force.
        case green = "32"
        case yellow = "33"
    }

    func text(_ text: String, _ emphasis: Emphasis) -> String {
        isColored && !text.isEmpty ? "\u{1b}[\(emphasis.rawValue)m\(text)\u{1b}[0m" : text
    }
}
