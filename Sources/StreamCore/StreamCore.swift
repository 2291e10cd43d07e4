// StreamCore
