"""The strategy `status` on recorded buses: what is known of each at the end of the recording, and what that shows."""

import csv
import decimal
import gzip

import rules

MOVING_FROM = 3  # km/h
LOADING = "Loading..."


def read(files):
    """Of each vehicle the newest row by time; of rows of the same time the one that comes last."""
    newest = {}
    for file in files:
        with (gzip.open if file.endswith(".gz") else open)(file, "rt", encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                observed = rules.parse_instant(row["timestamp"])
                known = newest.get(row["vehicle_id"])
                if known is None or observed >= known[0]:
                    newest[row["vehicle_id"]] = (observed, row)
    return {vehicle: view(vehicle, *found) for vehicle, found in newest.items()}


def view(vehicle, observed, row):
    # From metres per second, exactly; floating point would decide what is 3 km/h.
    speed = decimal.Decimal(row["speed"]) * decimal.Decimal("3.6") if row["speed"] else None
    shown = {"vehicleId": vehicle, "observedAt": observed}
    shown["status"] = "Moving" if speed is not None and speed >= MOVING_FROM else "Stopped"
    if speed is not None:
        shown["speed"] = float(speed)
    if row["latitude"] and row["longitude"]:
        shown["latitude"], shown["longitude"] = float(row["latitude"]), float(row["longitude"])
        shown["location"] = f"{shown['latitude']:.5f}, {shown['longitude']:.5f}"
    return shown


def configurations(files):
    """A plain one for each bus, and a second one that uses what the strategy has to set."""
    families = ["systemSmall", "systemMedium", "systemExtraLarge", "accessoryCircular"]
    for index, vehicle in enumerate(sorted(read(files))):
        yield {"configurationId": f"bus-{vehicle}", "kind": "BusStatus", "vehicleId": vehicle}
        strategy = {
            "name": "status",
            "every": ["PT1M", "PT90S", "PT5M"][index % 3],
            "parkedEvery": ["PT10M", "PT1H"][index % 2],
            "offlineAfter": ["PT4M", "PT12H", "P1D", "PT1H"][index % 4],
        }
        yield {
            "configurationId": f"varied-{vehicle}",
            "kind": "BusBoard",
            "family": families[index % 4],
            "recipient": f"stop-{index % 7}",
            "timeZone": "America/Chicago",
            "vehicleId": int(vehicle) if index % 5 == 0 else vehicle,
            "strategy": strategy,
            "parameters": {"line": index, "colour": "grün", "lowFloor": index % 2 == 0},
            **({"mode": "lowFrequency"} if index % 6 == 0 else {}),
            **({"maximumEntries": 1} if index % 9 == 0 else {}),
            **({"sensitivity": {"speed": 5, "distance": 50}} if index % 4 == 1 else {}),
        }
    yield {"configurationId": "bus-unheard-of", "kind": "BusStatus", "vehicleId": "no such bus"}
    yield {"configurationId": "bus-none", "kind": "BusStatus", "vehicleId": "", "strategy": "status"}
    yield {"configurationId": "bus-signed-out", "kind": "BusStatus", "vehicleId": "2228", "signedIn": False}


def timeline(configuration, vehicles, at):
    entries, due = draft(configuration, vehicles, at)
    return rules.finish(configuration, at, entries, due, None, None, tick=None)


def draft(configuration, vehicles, at):
    """The entries, and when the next ones are due."""
    quarter = rules.elapsed("PT15M")
    if not configuration.get("signedIn", True):
        return [rules.entry("signedOut", at, messageCode="signedOut")], at + quarter
    vehicle_id = str(configuration.get("vehicleId", ""))
    if vehicle_id in ("", "0"):
        return [rules.entry("selectVehicle", at, messageCode="selectVehicle")], at + quarter
    strategy = configuration.get("strategy", {})
    parked_every = rules.elapsed(strategy.get("parkedEvery", "PT15M"))
    every = rules.elapsed(strategy.get("every", "PT2M"))
    if configuration.get("mode") == "lowFrequency":
        every = parked_every
    known = vehicles.get(vehicle_id)
    if known is None:
        loading = {"vehicleId": vehicle_id, "registration": LOADING, "status": LOADING, "location": LOADING}
        return [rules.entry("placeholder", at, vehicle=loading, messageCode="loading")], at + every

    shown = known | {"observedAt": rules.instant(known["observedAt"])}
    if at - known["observedAt"] >= rules.elapsed(strategy.get("offlineAfter", "PT30M")):
        return [rules.entry("stale", at, vehicle=shown | {"status": "Offline"})], at + parked_every
    return [
        rules.entry("status", at, vehicle=shown),
        rules.entry("stale", at + 3 * every, vehicle=shown),
    ], at + every
