// Separate from the main thread's end, which makes no connections and should not load the code for them.
import { reachRulesFor } from "#core/net/reach-rule.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import type { Drivers } from "#drivers/drivers.ts";
import { createDrivers } from "./create-drivers.ts";
import type { AllowMessage, DriverThreadData } from "./driver-thread.ts";
import { connect as connectHttp } from "./http/connection.ts";
import { createReach } from "./net/create-reach.ts";
import { openDrivers } from "./open-drivers.ts";
import { paceDrivers } from "./pace-drivers.ts";
import { connectPorts } from "./port-bridge.ts";
import type { PortDevice } from "./port-hub.ts";
import { realTimers } from "./timers.ts";
import type { PeerWatch } from "./watch-peers.ts";

/** MQTT messages that the scripts of one thread have not taken yet. */
const INBOX_BYTES = 16 * 1024 * 1024;

/** Makes the drivers of one script after the other. */
export interface ThreadDrivers {
  ofDevice(device: PortDevice, watch?: PeerWatch): Drivers;
  /**
   * HTTP alone, and without a pace: whoever calls has one. The author of a rule chooses its slug, so no line of `lua.allow` that
   * names a device by its slug is for it.
   */
  ofRule(ruleId: string): Drivers;
}

/** The thread's end. */
export function openDriverThread({ allow, channel }: DriverThreadData): ThreadDrivers {
  const ports = connectPorts(channel);
  let current = allow;
  channel.on("message", (message: AllowMessage | object) => {
    if ("allow" in message) current = message.allow;
  });
  const inboxes = createByteBudget("mqtt_inboxes", INBOX_BYTES);
  return {
    ofDevice(device, watch) {
      const drivers = openDrivers({
        rules: () => reachRulesFor(current, device),
        ports: ports.session(device),
        inboxes,
        now: Date.now,
      });
      return paceDrivers(createDrivers(drivers, watch), realTimers);
    },
    ofRule(ruleId) {
      const reach = createReach({ rules: () => reachRulesFor(current, { id: ruleId, slug: ruleId }), of: "rule" });
      return createDrivers([connectHttp({ reach, now: Date.now })]);
    },
  };
}
