"""A small device over MQTT, in one file to copy. It has a power that a command sets, and it counts the energy.

    busbar device generate-config DEVICE -o json > config.json      (or --protocol MQTTS)
    pip install paho-mqtt      (1.6 or 2.x; on Debian: apt install python3-paho-mqtt)
    python3 device.py config.json

The protocol is described in docs/device-protocol.md.
"""

import json
import os
import queue
import signal
import sys
import tempfile
import threading
import time
from collections import OrderedDict

import paho.mqtt.client as mqtt

# ---- The device itself: replace this part. ----


class Device:
    def __init__(self):
        self.power = 0.0
        self.energy = 0.0
        self.limit = 100.0

    def run(self, name, arguments, log):
        """Runs a command. Each log(...) is progress; what it returns is the result; what it raises is the error."""
        if name == "set_power":
            power = arguments.get("power")
            if not isinstance(power, (int, float)) or isinstance(power, bool) or not 0 <= power <= self.limit:
                raise ValueError(f"power must be a number from 0 to {self.limit:g}")
            before = self.power
            for percent in (33, 66, 100):
                time.sleep(0.1)
                self.power = before + (power - before) * percent / 100
                if percent < 100:
                    log({"percent": percent})
            return {"power": self.power}
        if name == "reset_energy":
            self.energy = 0.0
            return {}
        raise ValueError(f"this device has no command {name}")

    def configure(self, buckets):
        """Bucket to parameter to value; comes when we connect and whenever it changes."""
        limit = buckets.get("limits", {}).get("max_power")
        if isinstance(limit, (int, float)):
            self.limit = limit

    def tick(self):
        self.energy += self.power / 3600
        return {"power": self.power, "energy": self.energy, "alerts": []}


# ---- The connection: keep this part. ----

REMEMBERED = 1000


class Connection:
    def __init__(self, config, device):
        self.config = config
        self.device = device
        self.prefix_from = f"v1/from/{config['hardware_id']}/{config['channel_id']}"
        self.prefix_to = f"v1/to/{config['hardware_id']}/{config['channel_id']}"
        self.requests = queue.Queue()
        # The final reply to each request, None while it runs. A request may come twice and must not run twice.
        self.replies = OrderedDict()
        self.lock = threading.Lock()
        self.client = new_client()
        self.client.on_connect = self.on_connect
        self.client.on_disconnect = lambda *_: print("not connected; trying again", flush=True)
        self.client.on_message = self.on_message
        self.client.reconnect_delay_set(min_delay=1, max_delay=30)
        use_credentials(self.client, config)

    def start(self):
        threading.Thread(target=self.work, daemon=True).start()
        self.client.connect_async(self.config["mqtt_host"], self.config["mqtt_port"], keepalive=15)
        self.client.loop_start()

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()

    def publish(self, topic, message):
        """QoS 1: kept until the service has stored it, also across a reconnect."""
        self.client.publish(f"{self.prefix_from}/{topic}", json.dumps(message), qos=1)

    def log(self, severity, message):
        self.publish(
            "v3/logs",
            {"timestamp": time.time(), "message": message, "severity": severity, "persist": severity != "debug"},
        )

    # paho 1.x and 2.x call this with four and five arguments.
    def on_connect(self, client, _userdata, _flags, reason, _properties=None):
        if reason != 0:
            print(f"refused: {reason}", flush=True)
            return
        print(f"connected to {self.config['mqtt_host']}:{self.config['mqtt_port']}", flush=True)
        # Listen first, then say who we are: the service sends waiting commands as soon as it knows that we listen.
        client.subscribe([(f"{self.prefix_to}/v1/command/requests", 1), (f"{self.prefix_to}/v1/configuration", 1)])
        self.publish(
            "v1/register",
            {
                "timestamp": time.time(),
                "vendor": "Example",
                "model": "One",
                "serial_number": self.config["hardware_id"],
            },
        )
        self.log("info", "connected")

    def on_message(self, _client, _userdata, message):
        content = json.loads(message.payload)
        if message.topic == f"{self.prefix_to}/v1/configuration":
            self.device.configure(content)
        elif message.topic == f"{self.prefix_to}/v1/command/requests":
            self.requests.put(content)

    def work(self):
        """Commands run one after the other, away from the thread that keeps the connection alive."""
        while True:
            self.take(self.requests.get())

    def take(self, request):
        with self.lock:
            if request["id"] in self.replies:
                known = self.replies[request["id"]]
                print(f"command {request['name']} {request['id']} again", flush=True)
                if known is not None:
                    self.publish("v1/command/responses", known)
                return
            self.replies[request["id"]] = None
            if len(self.replies) > REMEMBERED:
                self.replies.popitem(last=False)
        print(f"command {request['name']} {request['id']}", flush=True)
        try:
            payload = self.device.run(
                request["name"],
                request["arguments"],
                lambda progress: self.respond(request["id"], "log", progress),
            )
            self.respond(request["id"], "completed", payload)
        except Exception as error:  # whatever the device raises is its answer
            self.respond(request["id"], "error", {"message": str(error)})

    def respond(self, request_id, state, payload):
        reply = {"id": request_id, "state": state, "payload": payload}
        if state != "log":
            with self.lock:
                self.replies[request_id] = reply
        self.publish("v1/command/responses", reply)


def new_client():
    """paho 2.x asks for the form of the callbacks, 1.x does not have this argument."""
    if hasattr(mqtt, "CallbackAPIVersion"):
        return mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="", clean_session=True)
    return mqtt.Client(client_id="", clean_session=True)


def use_credentials(client, config):
    credentials = config["mqtt_credentials"]
    if config.get("mqtt_protocol") == "MQTTS":
        # The ssl module reads a key and its certificate from files only.
        files = {name: keep(credentials[name]) for name in ("ca_chain", "certificate", "private_key")}
        client.tls_set(ca_certs=files["ca_chain"], certfile=files["certificate"], keyfile=files["private_key"])
        for path in files.values():
            os.remove(path)
    else:
        client.username_pw_set(credentials["username"], credentials["password"])


def keep(text):
    """A file that only this user can read."""
    file = tempfile.NamedTemporaryFile("w", suffix=".pem", delete=False)
    with file:
        file.write(text)
    return file.name


def read_config(path):
    """Takes the answer of generate_config as it is, or the `config` object in it."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    return found.get("config", found)


def main():
    device = Device()
    connection = Connection(read_config(sys.argv[1] if len(sys.argv) > 1 else "config.json"), device)
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    connection.start()
    while not stopping.wait(1):
        values = device.tick()
        # What was measured while nobody listened is not worth queueing here; a device with a disk would keep it.
        if connection.client.is_connected():
            connection.publish("v1/telemetry", {"timestamp": time.time(), **values})
    connection.stop()


if __name__ == "__main__":
    main()
