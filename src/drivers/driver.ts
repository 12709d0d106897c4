import type { ByteBudget } from "#core/share/byte-budgets.ts";
import type { Call } from "./arguments.ts";
import type { Reach } from "./net/create-reach.ts";
import type { PortSession } from "./port/port-request.ts";
import type { PeerWorld, ScriptedNeeds, ScriptedPeer } from "./scripted-peer.ts";
import type { Timers } from "./timers.ts";

/** The texts of a driver for stubs, lint and docs/lua-reference.md. core/lua/host/parse-signature.ts explains the notation. */
interface DriverSignatures {
  /** What its tables and classes are. */
  readonly tables: Readonly<Record<string, string>>;
  /** What its functions and values are. */
  readonly signatures: Readonly<Record<string, string>>;
}

/**
 * What a script reaches others by. A driver is a folder: `prelude.lua` defines its tables and calls the host, and the
 * parts that are named here are loaded only where they are needed.
 */
export interface Driver {
  /** That of its folder. */
  readonly name: string;
  /** The tables that a script finds, and that it can require. */
  readonly libraries: readonly string[];
  /** Calls that begin or prepare something, and prove nothing about the other side. */
  readonly opening: readonly string[];
  /** Calls that are answered here. They prove nothing about the other side either. */
  readonly local: readonly string[];
  readonly signatures: () => Promise<DriverSignatures>;
  /** Real connections. */
  readonly connection: () => Promise<{ readonly connect: ConnectDriver }>;
  /** What scenarios have in the place of the other side. */
  readonly peer: () => Promise<DriverPeers>;
}

/** A driver as one script has it. */
export interface OpenDriver {
  readonly calls: Readonly<Record<string, Call>>;
  /** Ends its connections. The device has stopped. */
  close(): void;
}

export type ConnectDriver = (needs: ConnectionNeeds) => OpenDriver;

export interface ConnectionNeeds {
  readonly reach: Reach;
  readonly timers: Timers;
  readonly ports: PortSession;
  /** Room for messages that scripts have not taken yet. */
  readonly inboxes: Pick<ByteBudget, "take" | "give">;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
}

interface DriverPeers {
  /** By kind of peer. */
  readonly peers: Readonly<Record<string, new (world: PeerWorld) => ScriptedPeer>>;
  /** The driver over the peers of a scenario. */
  readonly connect: (needs: ScriptedNeeds) => OpenDriver;
}
