// TestBroker
