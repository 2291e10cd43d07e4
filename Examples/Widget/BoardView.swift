// Not compiled on Linux: see TidelineWidget.swift.

import SwiftUI
import TidelineClient
import WidgetKit

/// Draws one state of the widget.
struct BoardView: View {
    var entry: BoardEntry

    var body: some View {
        if #available(iOSApplicationExtension 17.0, *) {
            content.containerBackground(.background, for: .widget)
        } else {
            content.padding().background()
        }
    }

    private var content: some View {
        VStack(alignment: .leading, spacing: 4) {
            if let content = entry.content {
                lines(of: content)
            } else {
                Text("Loading...").redacted(reason: .placeholder)
            }
            Spacer(minLength: 0)
            if entry.isOffline { Label("Offline", systemImage: "wifi.slash").font(.caption2) }
        }
        .frame(maxWidth: .infinity, maxHeight: .infinity, alignment: .topLeading)
    }

    @ViewBuilder
    private func lines(of content: PublishedTimeline.Entry) -> some View {
        if let message = content.message {
            Text(message.text).font(.headline)
        } else {
            let words = PositionedEntry(content)
            Text(words.title ?? "").font(.headline).lineLimit(2)
            if let location = words.location { Text(location).font(.subheadline).lineLimit(1) }
            if let event = content.event, case .timed(let start, _) = event.when {
                Text(Date(start), style: .time).font(.caption)
            }
            if let vehicle = content.vehicle, let status = vehicle.status {
                Text(content.phase == .stale ? "\(status), not up to date" : status).font(.caption)
            }
        }
    }
}
