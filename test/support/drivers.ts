// Drivers as a worker has them: real sockets, ports through a hub, under the rules given.

import { onTestFinished } from "vitest";
import { parseReachRule, type ReachRule } from "#core/net/reach-rule.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { createDrivers } from "#runtime/drivers/create-drivers.ts";
import { createPeerConnections } from "#runtime/drivers/create-peer-connections.ts";
import { createPortHub } from "#runtime/drivers/port-hub.ts";
import { createSimulatedPorts, type SimulatedPorts } from "#runtime/drivers/simulated-ports.ts";
import type { Drivers } from "#runtime/lua/drivers.ts";

export function reachRules(...texts: readonly string[]): readonly ReachRule[] {
  return texts.map((text) => {
    const rule = parseReachRule(text);
    if ("problem" in rule) throw new Error(rule.problem);
    return rule;
  });
}

interface TestDrivers {
  readonly drivers: Drivers;
  readonly simulated: SimulatedPorts;
}

export function startDrivers(...allow: readonly string[]): TestDrivers {
  const simulated = createSimulatedPorts();
  const hub = createPortHub({ machine: [], simulated });
  const ports = hub.session({ id: "d1", slug: "device-1" });
  const drivers = createDrivers(
    createPeerConnections({
      rules: () => reachRules(...allow),
      ports,
      inboxes: createByteBudget("inboxes", 1e9),
      now: Date.now,
    }),
    Date.now,
  );
  onTestFinished(() => {
    drivers.close();
    hub.close();
  });
  return { drivers, simulated };
}
