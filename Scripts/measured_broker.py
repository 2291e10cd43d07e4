"""A broker for a measurement, and what a group has committed there: for the scripts measure-*."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TIDELINE = os.environ.get("TIDELINE", str(HERE.parent / ".build/release/tideline"))


def free_port():
    """The first of two free ports in a row on the loopback interface."""
    for port in range(29092, 29992, 2):
        with socket.socket() as one, socket.socket() as two:
            try:
                one.bind(("127.0.0.1", port))
                two.bind(("127.0.0.1", port + 1))
                return port
            except OSError:
                continue
    sys.exit("no free port on the loopback interface")


@contextlib.contextmanager
def broker(kind=None):
    """Starts one, gives its address and a folder, and ends both. `kind`: as in TIDELINE_TEST_BROKER, which goes before."""
    if not os.access(TIDELINE, os.X_OK):
        sys.exit(f"{TIDELINE} is not built: make build")
    folder = pathlib.Path(tempfile.mkdtemp())
    port = free_port()
    environment = {**os.environ}
    if kind:
        environment.setdefault("TIDELINE_TEST_BROKER", kind)
    start = [HERE / "test-broker", "start", folder / "broker", str(port)]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL, env=environment)
    try:
        yield f"127.0.0.1:{port}", folder
    finally:
        subprocess.run([HERE / "test-broker", "stop", folder / "broker"], stdout=subprocess.DEVNULL)
        shutil.rmtree(folder)


@contextlib.contextmanager
def running(command, log):
    """A program that is killed in the end."""
    process = subprocess.Popen([str(word) for word in command], stderr=log, stdout=log)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class Offsets:
    """What a group has committed of the telemetry, by partition."""

    def __init__(self, bootstrap, group, partitions):
        import confluent_kafka  # Debian's python3-confluent-kafka, which Scripts/setup installs

        self.client = confluent_kafka.Consumer({"bootstrap.servers": bootstrap, "group.id": group})
        self.places = [confluent_kafka.TopicPartition("vehicle.telemetry", number) for number in range(partitions)]

    def now(self):
        return [max(0, place.offset) for place in self.client.committed(self.places, timeout=30)]

    def wait(self, is_enough, processes, seconds=90):
        """Waits until `is_enough` holds for what is committed; all the processes must live meanwhile."""
        end = time.monotonic() + seconds
        while not is_enough(self.now()):
            for process in processes:
                if process.poll() is not None:
                    sys.exit(f"a process ended with status {process.returncode}")
            if time.monotonic() > end:
                sys.exit(f"no commit within {seconds} s")
            time.sleep(0.01)
