extension SQLiteSchema {
    /// Finds the field of a record that the database refuses, by what it says: `… failed: timelines.kind`. Of a
    /// constraint over several columns the first one counts.
    ///
    /// - Returns: the field; `nil` if the words name no column that a field is in.
    static func field(of message: String) -> String? {
        guard let range = message.firstRange(of: " failed: ") else { return nil }
        let column = message[range.upperBound...].prefix { $0 != "," }
        return fields.first { $0.column == column }?.field
    }

    /// The columns that a record's field is in. Of an entry the database does not say which one it is.
    private static let fields: [(column: String, field: String)] = [
        ("timelines.configuration_id", "configurationId"), ("timelines.kind", "kind"), ("timelines.family", "family"),
        ("timelines.recipient", "recipient"), ("timelines.revision", "revision"),
        ("timelines.refresh_count", "refreshCount"), ("timelines.generated_at", "generatedAt"),
        ("timelines.next_update", "nextUpdate"), ("timelines.valid_until", "validUntil"),
        ("entries.configuration_id", "configurationId"), ("entries.position", "entries"),
        ("entries.entry_id", "entries[].id"), ("entries.date", "entries[].date"), ("entries.phase", "entries[].phase"),
        ("entries.title", "entries[].event.title"), ("entries.value", "entries"),
        ("reloads.recipient", "recipient"), ("reloads.kind", "kind"),
        ("reloads.configuration_ids", "configurationIds"), ("reloads.reason", "reason"),
        ("reloads.revision", "revision"), ("reloads.issued_at", "issuedAt"), ("reloads.budget_limit", "budget.limit"),
        ("reloads.budget_remaining", "budget.remaining"), ("reloads.budget_resets_at", "budget.resetsAt"),
        ("reload_configurations.configuration_id", "configurationIds"),
    ]
}
