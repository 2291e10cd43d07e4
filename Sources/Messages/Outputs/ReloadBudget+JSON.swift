import Timelines

extension JSONWriter {
    mutating func budget(_ name: StaticString, _ budget: ReloadBudget?) {
        guard let budget else { return }
        key(name)
        beginObject()
        integer("limit", budget.limit)
        integer("remaining", budget.remaining)
        instant("resetsAt", budget.resetsAt)
        endObject()
    }
}

extension ReloadBudget {
    init(_ fields: MessageFields) throws(MessageProblem) {
        self.init(
            limit: try fields.count("limit"), remaining: try fields.count("remaining"),
            resetsAt: try fields.require("resetsAt", fields.instant("resetsAt")))
    }
}
