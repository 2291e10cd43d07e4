"""Says what a recipient's screens show, by the tables of a sink of SQLite: on_screen.py FILE RECIPIENT [TIME]."""
import datetime, json, sqlite3, sys

IN_FORCE = """
SELECT t.configuration_id, t.kind, e.phase, e.value FROM timelines AS t JOIN entries AS e USING (configuration_id)
WHERE t.recipient = ? AND e.position = (
    SELECT max(position) FROM entries WHERE configuration_id = t.configuration_id AND date <= ?)
ORDER BY t.configuration_id"""

file, recipient = sys.argv[1:3]
now = datetime.datetime.now(datetime.timezone.utc)
if len(sys.argv) > 3:
    now = datetime.datetime.fromisoformat(sys.argv[3].replace("Z", "+00:00"))
database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
for configuration, kind, phase, value in database.execute(IN_FORCE, (recipient, int(now.timestamp() * 1000))):
    entry = json.loads(value)
    about = entry.get("event") or entry.get("vehicle") or entry.get("next") or {}
    print(configuration, kind, phase, entry.get("message") or about.get("title") or about.get("status") or "")
