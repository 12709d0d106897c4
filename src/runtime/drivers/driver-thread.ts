// Drivers on a thread of their own: the main thread keeps the ports, the thread makes the connections (open-driver-thread.ts).
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { ReachRule } from "#core/net/reach-rule.ts";
import { servePorts } from "./port-bridge.ts";
import type { PortHub } from "./port-hub.ts";

/** Sent to the thread with its other data; `channel` must be in the transfer list. */
export interface DriverThreadData {
  /** The installer's rules, for all devices. */
  readonly allow: readonly ReachRule[];
  readonly channel: MessagePort;
}

export interface DriverThread {
  readonly data: DriverThreadData;
  /** Releases what devices of the thread hold. Also happens when the thread ends. */
  stop(): void;
}

export interface DriverThreadNeeds {
  readonly hub: PortHub;
  readonly allow: readonly ReachRule[];
  /** Called with faults that are not the script's. */
  readonly onBug: (error: unknown) => void;
}

/** The main thread's end, one per thread. */
export function createDriverThread({ hub, allow, onBug }: DriverThreadNeeds): DriverThread {
  const { port1, port2 } = new MessageChannel();
  return { data: { allow, channel: port2 }, stop: servePorts(hub, port1, onBug) };
}
