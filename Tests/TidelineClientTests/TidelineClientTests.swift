import Testing

@testable import TidelineClient
