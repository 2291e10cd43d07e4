"""Shows what is on a recipient's screens, anew whenever a sink of PostgreSQL changes it: listen.py ADDRESS RECIPIENT.

ADDRESS is libpq's, such as postgres://reader@localhost/timelines; PGPASSWORD is heeded. Needs psycopg2 (Debian:
python3-psycopg2). Made to be copied: put your work into `show`.
"""
import datetime, select, sys
import psycopg2

IN_FORCE = """
SELECT t.configuration_id, t.kind, e.phase, e.value FROM timelines AS t JOIN entries AS e USING (configuration_id)
WHERE t.recipient = %s AND e.position = (
    SELECT max(position) FROM entries WHERE configuration_id = t.configuration_id AND date <= %s)
ORDER BY t.configuration_id"""

def show(rows):
    for configuration, kind, phase, entry in rows:
        about = entry.get("event") or entry.get("vehicle") or entry.get("next") or {}
        print(configuration, kind, phase, entry.get("message") or about.get("title") or about.get("status") or "")
    print("---", flush=True)

address, recipient = sys.argv[1:3]
connection = psycopg2.connect(address)
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("LISTEN tideline_timelines")  # Before the first look: else a change between the two would be missed.
shown = None
while True:
    cursor.execute(IN_FORCE, (recipient, datetime.datetime.now(datetime.timezone.utc)))
    rows = cursor.fetchall()
    if rows != shown:
        show(rows)
        shown = rows
    # Woken by a change, and by the clock: between two timelines a widget turns the page by itself.
    select.select([connection], [], [], 5)
    connection.poll()
    connection.notifies.clear()
