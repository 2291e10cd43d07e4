// RdKafka: the ports of RecordLog over librdkafka, the only module that imports its C header.
//
//   RdKafkaSettings, RdKafkaCluster     what to connect to, and the maker of the ports
//   RdKafkaConsumer                     batches of borrowed bytes, rebalances, positions
//   RdKafkaTransactionalProducer        transactions; RdKafkaPlainProducer: idempotent writes outside of them
//   RdKafkaAdmin                        topics, offsets, groups
//   MockCluster                         librdkafka's broker inside this process, for the demo
//   ClientHandle, ClientCallbacks       the owner of one instance, and what its C callbacks reach
//   LogError+RdKafka, TransactionError+RdKafka   the one place where librdkafka's errors are told apart
//
// Every C handle has one owner here that destroys it. Callbacks are C functions that unpack their opaque and call one
// method. Where this module does something only because of what librdkafka 2.0.2 was seen to do, it says so there.
