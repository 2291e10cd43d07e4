// Gateway: the HTTP API: timelines, reloads, configurations and positions for those who have no Kafka client.
//
// It must not know the stream runtime nor the pipeline: it reads committed topics into memory and writes records.
//
// Begin with the routes.
