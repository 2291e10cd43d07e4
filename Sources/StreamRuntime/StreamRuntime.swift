// StreamRuntime
