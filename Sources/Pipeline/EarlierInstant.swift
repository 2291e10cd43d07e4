import Times

/// The earlier of two dates; `nil` if there is neither.
func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
    guard let left, let right else { return left ?? right }
    return min(left, right)
}
