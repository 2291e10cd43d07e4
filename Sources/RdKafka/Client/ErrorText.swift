/// Lends room for the message that a C function leaves beside its result.
func withErrorText<Result>(
    _ body: (_ text: UnsafeMutablePointer<CChar>, _ capacity: Int) -> Result
) -> (result: Result, text: String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        buffer.initialize(repeating: 0)
        guard let text = buffer.baseAddress else { preconditionFailure("an allocation of 512 has an address") }
        let result = body(text, buffer.count)
        return (result, String(cString: text))
    }
}
