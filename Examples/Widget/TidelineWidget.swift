// A SwiftUI widget whose timeline provider uses TidelineClient.
//
// The files of this folder are not compiled on Linux, where WidgetKit does not exist. They are the source of a widget
// extension for iOS 16 and later: add the package's product TidelineClient to the extension, and name in `AppGroup` an
// app group that app and extension share.
//
// This one does not import TidelineClient: SwiftUI's `WidgetConfiguration` has the name of one of its types.

import SwiftUI
import WidgetKit

/// The extension's entry point.
@main
struct TidelineWidgets: WidgetBundle {
    var body: some Widget {
        BoardWidget()
    }
}

/// A widget that shows the timeline of one configuration.
struct BoardWidget: Widget {
    /// The widget kind, as in the configuration and in its reloads.
    static let kind = "Board"

    var body: some WidgetConfiguration {
        StaticConfiguration(kind: Self.kind, provider: BoardProvider()) { entry in
            BoardView(entry: entry)
        }
        .configurationDisplayName("Board")
        .description("What comes next, also offline.")
        .supportedFamilies([.systemSmall, .systemMedium])
    }
}
