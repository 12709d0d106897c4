// Which devices the other nodes hear. Each node says what has changed: the devices that it hears now, and those that it no
// longer does. Nobody repeats what the others know, so messages grow with changes and not with devices. The messages of a
// node are numbered. A node that misses one, or has just started, asks that node, which then lists all of its devices.
//
// A node that has not sent anything for a while is gone, and hears nothing.
import { type Duration, toMilliseconds } from "#core/time/duration.ts";
import type { NodeMessage } from "#service/ports/nodes.ts";

export type HeardMessage = Extract<NodeMessage, { readonly kind: "heard" }>;

export interface Presence {
  /**
   * The messages to send now, at least one. `heard`: the devices heard since the last call. One that has left is left at
   * once. To be called each `everyMs`.
   */
  announce(heard: readonly string[], isOnline: (deviceId: string) => boolean): readonly HeardMessage[];
  /** Takes a message of another node. Gives the devices that it hears now and did not before, and whether to ask it. */
  take(message: HeardMessage): { readonly devices: readonly string[]; readonly isUnknown: boolean };
  /** Somebody asks a node: if it is this one, all devices are in the next messages. */
  asked(node: string): void;
  /** Whether another node that is there hears the device. */
  isHeardElsewhere(deviceId: string): boolean;
  /** The other nodes that are there and speak so. */
  others(): number;
}

interface PresenceNeeds {
  /** Names this run of this node. */
  readonly node: string;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  /** How often each node announces. */
  readonly everyMs: number;
}

/** A device is OFFLINE after `silence`. */
export const announceEveryMs = ({ devices }: { readonly devices: { readonly silence: Duration } }): number =>
  Math.ceil(toMilliseconds(devices.silence) / 3);

/** As many ids as fit into one notification. */
export const DEVICES_PER_MESSAGE = 150;
/** A device that was not heard in so many announcements is left; a node that sent nothing in so much time is gone. */
const PATIENCE = 3;

interface Other {
  /** Of its latest message; undefined while messages are missing. */
  number: number | undefined;
  askedAt: number;
  at: number;
  devices: Set<string>;
}

export function createPresence({ node, elapsed, everyMs }: PresenceNeeds): Presence {
  /** The devices that were announced, and in which announcement each was heard last. */
  const own = new Map<string, number>();
  const others = new Map<string, Other>();
  let number = 0;
  let round = 0;
  let isAsked = true;

  const isThere = ({ at }: Other) => elapsed() - at <= (PATIENCE + 0.5) * everyMs;

  function forgetGone(): void {
    for (const [name, other] of others) if (!isThere(other)) others.delete(name);
  }

  function inParts(devices: readonly string[], of: "joined" | "left"): HeardMessage[] {
    const parts: HeardMessage[] = [];
    for (let at = 0; at < devices.length; at += DEVICES_PER_MESSAGE) {
      parts.push({ kind: "heard", node, number: ++number, [of]: devices.slice(at, at + DEVICES_PER_MESSAGE) });
    }
    return parts;
  }

  return {
    announce(heard, isOnline) {
      round++;
      forgetGone();
      const here = heard.filter(isOnline);
      const joined = here.filter((id) => !own.has(id));
      for (const id of here) own.set(id, round);
      const left: string[] = [];
      for (const [id, last] of own) if (round - last > PATIENCE || !isOnline(id)) left.push(id);
      for (const id of left) own.delete(id);
      const isWhole = isAsked;
      isAsked = false;
      if (isWhole) return [{ kind: "heard", node, number: ++number, isWhole }, ...inParts([...own.keys()], "joined")];
      const changes = [...inParts(joined, "joined"), ...inParts(left, "left")];
      return changes.length > 0 ? changes : [{ kind: "heard", node, number: ++number }];
    },
    take({ node: name, number: given, isWhole = false, joined = [], left = [] }) {
      const known = others.get(name);
      const at = elapsed();
      const other = known ?? { number: undefined, askedAt: Number.NEGATIVE_INFINITY, at, devices: new Set() };
      others.set(name, other);
      other.at = at;
      if (!isWhole && other.number !== given - 1) {
        // What it has said before stays true until it has answered. The answer comes with its next announcement.
        other.number = undefined;
        const isUnknown = at - other.askedAt > 2 * everyMs;
        if (isUnknown) other.askedAt = at;
        return { devices: [], isUnknown };
      }
      other.number = given;
      if (isWhole) other.devices = new Set();
      for (const id of left) other.devices.delete(id);
      const devices = joined.filter((id) => !other.devices.has(id));
      for (const id of devices) other.devices.add(id);
      return { devices, isUnknown: false };
    },
    asked(name) {
      if (name === node) isAsked = true;
    },
    isHeardElsewhere(deviceId) {
      for (const other of others.values()) if (other.devices.has(deviceId) && isThere(other)) return true;
      return false;
    },
    others: () => [...others.values()].filter(isThere).length,
  };
}
