/// WidgetKit's widget families, by their names there.
public enum WidgetFamily: String, CaseIterable, Sendable {
    case systemSmall, systemMedium, systemLarge, systemExtraLarge, systemExtraLargePortrait
    case accessoryCircular, accessoryRectangular, accessoryInline, accessoryCorner

    /// How many entries a timeline of this family has at most (T4).
    public var maximumEntries: Int {
        switch self {
        case .systemSmall: 5
        case .systemMedium: 10
        default: 20
        }
    }
}
