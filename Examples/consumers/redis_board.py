"""Says what a recipient's widgets hold, by the keys of a sink of Redis, and then each change: redis_board.py URL RECIPIENT [--once]."""
import json, sys

import redis

url, recipient = sys.argv[1:3]
server = redis.Redis.from_url(url, decode_responses=True)


def show(configuration, value):
    timeline = json.loads(value)
    print(configuration, timeline["kind"], "revision", timeline["revision"], len(timeline["entries"]), "entries", flush=True)


# First where the changes are now, then what there is: so that none is missed in between.
newest = server.xrevrange("tideline:changes", count=1)
last = newest[0][0] if newest else "0-0"
mine = sorted(server.smembers(f"tideline:recipient:{recipient}"))
for configuration in mine:
    value = server.get(f"tideline:timeline:{configuration}")
    if value is not None:  # It may have gone since the set was read.
        show(configuration, value)
while "--once" not in sys.argv:
    for _, changes in server.xread({"tideline:changes": last}, block=60_000):
        for last, change in changes:
            if change.get("recipient") != recipient:
                continue
            value = server.get(f"tideline:timeline:{change['configurationId']}")
            if value is None:
                print(change["configurationId"], "removed", flush=True)
            else:
                show(change["configurationId"], value)
