// RdKafka: the ports of RecordLog over librdkafka, for real brokers and for the mock cluster of the demo.
//
// It must not know streams or messages: it moves bytes. It is the only module that imports librdkafka's C header, and
// no type of that header leaves it. Every C handle has one owner here that destroys it. Callbacks are C functions that
// unpack their opaque and call one method. Where this module does something only because of what librdkafka 2.0.2 was
// seen to do, it says so there.
//
// Begin with `RdKafkaCluster`, which makes the ports with `RdKafkaSettings`. Each folder holds one thing:
//
//   Cluster     the maker of the ports; `MockCluster` is librdkafka's broker inside this process
//   Settings    what clients are made with, and librdkafka's own table of properties
//   Consumer    batches of borrowed bytes, rebalances, positions
//   Producer    transactions, and idempotent writes outside of them
//   Admin       topics, offsets, groups, permissions
//   Client      the owner of one instance, what its C callbacks reach, and the one place where librdkafka's errors are
//               told apart
