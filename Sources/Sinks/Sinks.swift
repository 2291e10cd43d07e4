// Sinks
