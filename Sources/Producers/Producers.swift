// Producers
