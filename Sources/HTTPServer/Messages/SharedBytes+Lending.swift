extension SharedBytes {
    /// Lends the bytes for the time of the call, without a copy.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }
}
