import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Control } from "#core/control/control.ts";
import type { WordOrder } from "#core/modbus/register-value.ts";
import * as r from "#manifest/reader.ts";

export const PEER_KINDS = [
  "modbus",
  "http",
  "can",
  "serial",
  "mqtt",
  "relay",
  "digitalin",
  "digitalout",
  "analogin",
  "analogout",
] as const;
export type PeerKind = (typeof PEER_KINDS)[number];

/** What readers of a scenario know besides its text. */
export interface ScenarioContext extends r.ReadContext {
  readonly blueprint: Blueprint;
  /** What can be controlled, also by what profiles say. */
  readonly controls: ReadonlyMap<string, Control>;
  /** Known before anything else is read, so that steps can be checked against them. */
  readonly peers: ReadonlyMap<string, PeerHint>;
  /** The peer that is spoken of, inside what is read by peer. */
  readonly peer: PeerHint;
}

/** What a peer's declaration says for all steps that name the peer. */
export interface PeerHint {
  readonly kind: PeerKind;
  /** For a Modbus peer. */
  readonly words: WordOrder;
  readonly unit: number;
}

/** By peer, and only peers of these kinds. */
export function byPeer<T>(kinds: readonly PeerKind[], value: r.Reader<T>): r.Reader<ReadonlyMap<string, T>> {
  const what = kinds === PEER_KINDS ? "peer" : `${kinds.join(" or ")} peer`;
  const known = ({ peers }: ScenarioContext) =>
    [...peers].filter(([, { kind }]) => kinds.includes(kind)).map(([name]) => name);
  const ofPeer = r.reader<T>(value.schema, (context: ScenarioContext, trail) => {
    const peer = context.peers.get(String(trail.step));
    const inner = peer === undefined ? context : { ...context, peer };
    return value.read(inner, trail);
  });
  return r.record(r.nameKey(what, known), ofPeer);
}
