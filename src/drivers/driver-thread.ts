// Drivers on a thread of their own: the main thread keeps the ports, the thread makes the connections (open-driver-thread.ts).
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { ReachRule } from "#core/net/reach-rule.ts";
import { tryPost } from "#core/thread/try-post.ts";
import type { LiveRules } from "./live-rules.ts";
import { servePorts } from "./port-bridge.ts";
import type { PortHub } from "./port-hub.ts";

/** Sent to the thread with its other data; `channel` must be in the transfer list. */
export interface DriverThreadData {
  /** The installer's rules, for all scripts. */
  readonly allow: readonly ReachRule[];
  readonly channel: MessagePort;
}

/** To the thread: these rules hold from now on. */
export interface AllowMessage {
  readonly allow: readonly ReachRule[];
}

export interface DriverThread {
  readonly data: DriverThreadData;
  /** Releases what devices of the thread hold. Also happens when the thread ends. */
  stop(): void;
}

export interface DriverThreadNeeds {
  /** Undefined: scripts reach no hardware ports. */
  readonly hub: PortHub | undefined;
  readonly allow: LiveRules;
  /** Called with faults that are not the script's. */
  readonly onBug: (error: unknown) => void;
}

/** The main thread's end, one per thread. */
export function createDriverThread({ hub, allow, onBug }: DriverThreadNeeds): DriverThread {
  const { port1, port2 } = new MessageChannel();
  const forget = allow.listen((rules) => void tryPost(port1, { allow: rules } satisfies AllowMessage));
  const end = hub === undefined ? () => port1.close() : servePorts(hub, port1, onBug);
  port1.unref();
  port1.once("close", forget);
  return {
    data: { allow: allow.current, channel: port2 },
    stop() {
      forget();
      end();
    },
  };
}
