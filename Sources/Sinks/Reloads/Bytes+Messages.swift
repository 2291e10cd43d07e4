import Messages

extension [UInt8] {
    /// Lends the bytes to a reader of messages.
    func decoded<Value>(
        _ read: (UnsafeRawBufferPointer) throws(MessageProblem) -> Value
    ) throws(MessageProblem) -> Value {
        try withUnsafeBytes { bytes in
            Result { () throws(MessageProblem) in try read(bytes) }
        }.get()
    }
}
