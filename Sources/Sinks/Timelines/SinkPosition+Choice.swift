import RecordLog

extension SinkPosition {
    /// The position with this choice.
    func taken(by choice: Int64?) -> Self {
        var position = self
        position.choice = choice
        return position
    }
}

extension [Partition: SinkPosition] {
    /// The choice that all of them have; `nil` if they have none. One run keeps no two.
    var choice: Int64? { self.min { $0.key < $1.key }?.value.choice }
}
