/// Lends bytes for the time of a call. `nil` stays `nil`, which is not an empty value.
func withBytes<Failure: Error>(
    _ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Void
) throws(Failure) {
    guard let bytes else { return try body(nil) }
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(Failure) in try body(bytes) }
}
