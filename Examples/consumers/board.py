"""Reads the topic `timelines` and prints a board: what each widget shows now, and what comes next.

    board.py [localhost:29092 [timelines]]      needs confluent-kafka (Debian: python3-confluent-kafka); made to be copied
"""
import datetime, json, sys, time
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

bootstrap, topic = (sys.argv[1:] + ["localhost:29092", "timelines"][len(sys.argv) - 1:])[:2]
consumer = Consumer({  # Without read_committed, aborted timelines would show. The group is not used.
    "bootstrap.servers": bootstrap, "isolation.level": "read_committed", "enable.partition.eof": True,
    "group.id": "board", "enable.auto.commit": False})
partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
# From the earliest: the topic is compacted, so it keeps the newest timeline of each configuration.
consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in partitions])

def text(entry):
    named = entry.get("event", {}).get("title") or entry.get("vehicle", {}).get("status") or entry.get("message")
    return f"{entry['phase']}: {named}" if named else entry["phase"]

def line(timeline, now):
    """The last entry whose date has come is in force: between two timelines a widget turns the page by itself."""
    dated = [(datetime.datetime.fromisoformat(e["date"].replace("Z", "+00:00")), text(e)) for e in timeline["entries"]]
    past = [entry for entry in dated if entry[0] <= now] or dated[:1]
    coming = [f"{date.astimezone():%H:%M:%S} {shown}" for date, shown in dated[len(past):]] or [""]
    return f"{timeline['configurationId']:<24} {past[-1][1]:<40} {coming[0]}".rstrip()

timelines, unread, board, looked = {}, set(partitions), "", 0
while True:
    message = consumer.poll(1)
    error = message.error() if message is not None else None
    if error is not None and error.code() == KafkaError._PARTITION_EOF:
        unread.discard(message.partition())
    elif error is not None:
        print(error, file=sys.stderr)  # The client goes on by itself.
    elif message is not None:  # A record without value is a tombstone: the configuration is gone.
        timelines[message.key()] = json.loads(message.value() or "null")
    if not unread and time.monotonic() - looked >= 5:  # Not before the end: until then it is the past.
        now, before, looked = datetime.datetime.now(datetime.timezone.utc), board, time.monotonic()
        board = "\n".join(line(timelines[key], now) for key in sorted(timelines) if timelines[key])
        if board != before:
            print(f"--- {now.astimezone():%H:%M:%S}", board, sep="\n", flush=True)
