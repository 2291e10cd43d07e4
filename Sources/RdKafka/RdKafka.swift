// RdKafka
