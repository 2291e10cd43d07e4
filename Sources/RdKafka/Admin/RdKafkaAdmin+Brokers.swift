import CRdKafka
import RecordLog

extension RdKafkaAdmin {
    func brokers(timeout: Duration) throws(LogError) -> [Broker] {
        serveEvents()
        var answer: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(client.pointer, 0, nil, &answer, timeout.milliseconds)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let answer else { throw LogError(code, about: "metadata") }
        defer { rd_kafka_metadata_destroy(answer) }
        return UnsafeBufferPointer(start: answer.pointee.brokers, count: Int(answer.pointee.broker_cnt))
            .map { Broker(id: $0.id, address: $0.address) }.sorted { $0.id < $1.id }
    }
}
