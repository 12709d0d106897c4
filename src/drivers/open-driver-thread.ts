// Separate from the main thread's end, which makes no connections and should not load the code for them.
import { reachRulesFor } from "#core/net/reach-rule.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import type { Drivers } from "#drivers/drivers.ts";
import { createDrivers } from "./create-drivers.ts";
import type { AllowMessage, DriverThreadData } from "./driver-thread.ts";
import { openDrivers } from "./open-drivers.ts";
import { paceDrivers } from "./pace-drivers.ts";
import { connectPorts } from "./port-bridge.ts";
import type { PortDevice } from "./port-hub.ts";
import { realTimers } from "./timers.ts";
import type { PeerWatch } from "./watch-peers.ts";

/** MQTT messages that the scripts of one thread have not taken yet. */
const INBOX_BYTES = 16 * 1024 * 1024;

/** The thread's end: makes the drivers of one device after the other. */
export function openDriverThread({
  allow,
  channel,
}: DriverThreadData): (device: PortDevice, watch?: PeerWatch) => Drivers {
  const ports = connectPorts(channel);
  let current = allow;
  channel.on("message", (message: AllowMessage | object) => {
    if ("allow" in message) current = message.allow;
  });
  const inboxes = createByteBudget("mqtt_inboxes", INBOX_BYTES);
  return (device, watch) => {
    const drivers = openDrivers({
      rules: () => reachRulesFor(current, device),
      ports: ports.session(device),
      inboxes,
      now: Date.now,
    });
    return paceDrivers(createDrivers(drivers, watch), realTimers);
  };
}
