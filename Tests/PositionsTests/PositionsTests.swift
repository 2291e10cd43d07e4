import Testing

@testable import Positions
