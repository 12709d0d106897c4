import type { Peer, PeerChange, PeerKind, Sent } from "#manifest/scenario/peers.ts";
import { ConnectionError } from "./connection-error.ts";
import type { PortSession } from "./port/port-request.ts";
import type { Timers } from "./timers.ts";

/** What a peer was asked for, or what it does. */
export type PeerHappening =
  | {
      readonly kind: "write";
      readonly peer: string;
      readonly unit: number;
      readonly table: "holdings" | "coils";
      readonly first: number;
      readonly values: readonly number[];
    }
  | {
      readonly kind: "request";
      readonly peer: string;
      readonly method: string;
      readonly path: string;
      readonly headers: ReadonlyMap<string, string>;
      readonly body: string;
    }
  | { readonly kind: "frame"; readonly peer: string; readonly id: number; readonly data: readonly number[] }
  | { readonly kind: "bytes"; readonly peer: string; readonly bytes: string }
  | { readonly kind: "published"; readonly peer: string; readonly topic: string; readonly payload: string }
  | { readonly kind: "output"; readonly peer: string; readonly quantity: string; readonly value: number }
  /** Nothing is expected of it; it shows how things came about. */
  | { readonly kind: "note"; readonly text: string | (() => string) };

/** What every peer needs around it. */
export interface PeerWorld {
  readonly name: string;
  readonly timers: Timers;
  readonly happened: (happening: PeerHappening) => void;
}

/** Someone whom a script talks to in a scenario. */
export interface ScriptedPeer {
  change(change: PeerChange): void;
  /** What it says on its own; without it the peer only answers. */
  send?(sent: Sent): void;
}

/** Finds the peer that a script addresses: one at that very address before one that takes every address. */
export type FindPeer = <T extends ScriptedPeer>(
  type: abstract new (world: PeerWorld) => T,
  key: string,
  kind?: PeerKind,
) => T | undefined;

/** What a driver needs to talk to the peers of a scenario. */
export interface ScriptedNeeds {
  readonly find: FindPeer;
  readonly timers: Timers;
  readonly ports: PortSession;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
}

/** How long a call without a timeout of its own waits for a silent peer. */
export const PATIENCE_MS = 1_000;

/** What was called, in words; found only when somebody wants to know. */
type What = string | (() => string);

/** How well a peer is. Each kind of peer adds what it holds. */
export class Health {
  readonly #world: PeerWorld;
  #isSilent = false;
  #delay = 0;
  #error: string | undefined;

  constructor(world: PeerWorld) {
    this.#world = world;
  }

  change({ silent, delay, error }: PeerChange): void {
    this.#isSilent = silent ?? this.#isSilent;
    this.#delay = delay ?? this.#delay;
    this.#error = error === undefined ? this.#error : (error ?? undefined);
  }

  /** Whether the peer does anything on its own. */
  get speaks(): boolean {
    return !this.#isSilent && this.#error === undefined;
  }

  /** How long every answer takes. */
  get delay(): number {
    return this.#delay;
  }

  /** Does the work after the delay, or fails as the peer fails. */
  async answer<T>(what: What, timeoutMs: number, work: () => T): Promise<T> {
    if (this.#isSilent) return this.#timeout(what, timeoutMs);
    if (this.#delay > 0 && this.#delay >= timeoutMs) return this.#timeout(what, timeoutMs);
    if (this.#delay > 0) await this.wait(this.#delay);
    if (this.#error !== undefined) throw this.fail(what, new ConnectionError("connection", this.#error));
    return work();
  }

  async #timeout(what: What, timeoutMs: number): Promise<never> {
    await this.wait(timeoutMs);
    throw this.fail(what, new ConnectionError("timeout", `no answer within ${timeoutMs} ms`));
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#world.timers.after(ms, resolve);
    });
  }

  fail(what: What, error: ConnectionError): ConnectionError {
    const words = typeof what === "string" ? what : what();
    this.#world.happened({ kind: "note", text: `${this.#world.name} ← ${words} ✗ ${error.message}` });
    return error;
  }
}

/** Who answers where the scenario has nobody. */
export async function nobody(timers: Timers, timeoutMs: number, address: string): Promise<never> {
  await new Promise<void>((resolve) => {
    timers.after(timeoutMs, resolve);
  });
  throw new ConnectionError("timeout", `no answer from ${address} within ${timeoutMs} ms`);
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { modbus: 502, mqtt: 1883 };

/** One text for every way to write the same address: `tcp://host` and `tcp://host:502`, `port://x?baud_rate=9600`. */
export function addressKey(kind: Peer["kind"], address: string): string {
  const port = /^port:\/\/([^?]*)/.exec(address)?.[1];
  if (port !== undefined) return portKey(port);
  if (kind === "http") return URL.canParse(address) ? new URL(address).origin : address;
  const { groups } = /^(?:(?<scheme>\w+):\/\/)?(?<host>[^:/?]+)(?::(?<port>\d+))?/.exec(address) ?? {};
  if (groups?.["host"] === undefined) return address;
  const isTls = /^(mqtts|ssl|tls)$/.test(groups["scheme"] ?? "");
  return hostKey(groups["host"], Number(groups["port"] ?? (isTls ? 8883 : DEFAULT_PORTS[kind])));
}

export const portKey = (name: string): string => `port://${name}`;
export const hostKey = (host: string, port: number): string => `${host.toLowerCase()}:${port}`;
