import { ALL_DRIVERS } from "#drivers/all-drivers.ts";
import type { OpenDriver } from "#drivers/driver.ts";
import { ScriptedLevel } from "#drivers/levels/peer.ts";
import { portCalls } from "#drivers/port/port-calls.ts";
import { scriptedPorts } from "#drivers/port/scripted-ports.ts";
import { addressKey, type FindPeer, type PeerWorld, type ScriptedPeer } from "#drivers/scripted-peer.ts";
import type { Timers } from "#drivers/timers.ts";
import type { Peer, PeerChange, PeerKind, Sent } from "#manifest/scenario/peers.ts";

const DRIVER_PEERS = await Promise.all(ALL_DRIVERS.map(({ peer }) => peer()));
const KINDS = new Map(DRIVER_PEERS.flatMap(({ peers }) => Object.entries(peers)));

interface Entry {
  readonly kind: PeerKind;
  /** Undefined takes every address. */
  readonly key: string | undefined;
  readonly peer: ScriptedPeer;
}

/** All peers of a scenario. They outlive the script, which may be started again. */
export interface ScriptedPeers {
  change(name: string, change: PeerChange): void;
  send(name: string, sent: Sent): void;
  level(name: string, quantity: "state" | "volts" | "amps"): number | undefined;
  /** What the script called although nobody is there, in words. */
  strangers(): readonly string[];
  /** For one run of the script. */
  drivers(now: () => number): readonly OpenDriver[];
}

interface Needs {
  readonly timers: Timers;
  readonly happened: PeerWorld["happened"];
}

export function createScriptedPeers({ timers, happened }: Needs, peers: ReadonlyMap<string, Peer>): ScriptedPeers {
  const entries = new Map<string, Entry>();
  for (const [name, { kind, address, state }] of peers) {
    const Scripted = KINDS.get(kind);
    if (Scripted === undefined) throw new Error(`no driver has a peer of the kind ${kind}`);
    const peer = new Scripted({ name, timers, happened });
    peer.change(state);
    entries.set(name, { kind, key: address === undefined ? undefined : addressKey(kind, address), peer });
  }
  /** Addresses that the script called in vain. */
  const strangers = new Map<string, string>();

  const find: FindPeer = (type, key, kind) => {
    const fitting = [...entries.values()].filter(
      (entry) => entry.peer instanceof type && (kind === undefined || entry.kind === kind),
    );
    const found = fitting.find((entry) => entry.key === key) ?? fitting.find((entry) => entry.key === undefined);
    if (found?.peer instanceof type) return found.peer;
    if (!strangers.has(key)) {
      const others = fitting.map((entry) => entry.key).join(", ");
      const text = `the scenario has no peer at ${key}${others === "" ? "" : `, but at ${others}`}`;
      strangers.set(key, text);
      happened({ kind: "note", text });
    }
    return undefined;
  };

  return {
    change: (name, change) => entries.get(name)?.peer.change(change),
    send: (name, sent) => entries.get(name)?.peer.send?.(sent),
    level(name, quantity) {
      const peer = entries.get(name)?.peer;
      return peer instanceof ScriptedLevel ? peer.value(quantity) : undefined;
    },
    strangers: () => [...strangers.values()],
    drivers(now) {
      const ports = scriptedPorts(timers, find);
      const needs = { find, timers, ports, now };
      return [...DRIVER_PEERS.map(({ connect }) => connect(needs)), { calls: portCalls(ports), close() {} }];
    },
  };
}
