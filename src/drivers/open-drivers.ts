// The drivers of one device's script with real connections: sockets under the address policy, and hardware ports through
// the hub.
import type { ReachRule } from "#core/net/reach-rule.ts";
import { ALL_DRIVERS } from "./all-drivers.ts";
import type { ConnectionNeeds, OpenDriver } from "./driver.ts";
import { createReach } from "./net/create-reach.ts";
import { portCalls } from "./port/port-calls.ts";
import { realTimers } from "./timers.ts";

interface DriverNeeds extends Pick<ConnectionNeeds, "ports" | "inboxes" | "now"> {
  /** What the device may reach (`reachRulesFor`). */
  readonly rules: () => readonly ReachRule[];
  readonly ownAddresses?: () => readonly string[];
}

const CONNECTIONS = await Promise.all(ALL_DRIVERS.map(({ connection }) => connection()));

export function openDrivers({ rules, ownAddresses, ports, inboxes, now }: DriverNeeds): readonly OpenDriver[] {
  const reach = createReach(ownAddresses === undefined ? { rules } : { rules, ownAddresses });
  const needs = { reach, timers: realTimers, ports, inboxes, now };
  return [...CONNECTIONS.map(({ connect }) => connect(needs)), { calls: portCalls(ports), close: () => ports.close() }];
}
