// Drivers as a worker has them: real sockets, ports through a hub, under the rules given.

import { onTestFinished } from "vitest";
import { parseReachRule, type ReachRule } from "#core/net/reach-rule.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { createDrivers } from "#drivers/create-drivers.ts";
import type { Drivers } from "#drivers/drivers.ts";
import { openDrivers } from "#drivers/open-drivers.ts";
import { createPortHub } from "#drivers/port-hub.ts";
import { createSimulatedPorts, type SimulatedPorts } from "#drivers/simulated-ports.ts";

export function reachRules(...texts: readonly string[]): readonly ReachRule[] {
  return texts.map((text) => {
    const rule = parseReachRule(text);
    if ("problem" in rule) throw new Error(rule.problem);
    return rule;
  });
}

/** The ports that tests of drivers ask for. */
const NUMBERS = [1, 2, 3, 4, 5, 6, 7];
const PORTS = [
  ...["rs485", "rs232", "can", "can-1", "can-2", "ttyUSB0", "ttyS0", "m"],
  ...["relay", "di", "do", "ai", "ao"].flatMap((kind) => [kind, ...NUMBERS.map((number) => `${kind}-${number}`)]),
];

/** By default with all ports that tests ask for. */
export function simulatedPorts(names: readonly string[] = PORTS): SimulatedPorts {
  const simulated = createSimulatedPorts();
  for (const name of names) simulated.port(name);
  return simulated;
}

interface TestDrivers {
  readonly drivers: Drivers;
  readonly simulated: SimulatedPorts;
}

export function startDrivers(...allow: readonly string[]): TestDrivers {
  return startDriversWith(simulatedPorts(), ...allow);
}

export function startDriversWith(simulated: SimulatedPorts, ...allow: readonly string[]): TestDrivers {
  const hub = createPortHub({ machine: [], simulated });
  const ports = hub.session({ id: "d1", slug: "device-1" });
  const drivers = createDrivers(
    openDrivers({
      rules: () => reachRules(...allow),
      ports,
      inboxes: createByteBudget("inboxes", 1e9),
      now: Date.now,
    }),
  );
  onTestFinished(() => {
    drivers.close();
    hub.close();
  });
  return { drivers, simulated };
}
