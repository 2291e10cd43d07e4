import Messages
import Sinks

extension DeliverySummary {
    /// - Parameter sink: the name of the sink, where there are several.
    func json(of sink: String? = nil) -> String {
        JSONWriter.object { json in
            json.string("sink", sink)
            json.integer("records", records)
            json.integer("delivered", delivered)
            json.integer("conflated", conflated)
            json.integer("retries", retries)
            json.integer("retired", retired)
            json.integer("deadLetters", deadLetters)
            json.integer("skipped", skipped)
            json.integer("tooOld", tooOld)
            json.integer("startedOver", startedOver)
        }
    }
}
