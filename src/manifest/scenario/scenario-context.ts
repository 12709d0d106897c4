import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Control } from "#core/control/control.ts";
import type { WordOrder } from "#core/modbus/register-value.ts";
import type * as r from "#manifest/reader.ts";

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
  /** One of `PEER_KINDS` (peers.ts). */
  readonly kind: string;
  /** For a Modbus peer. */
  readonly words: WordOrder;
  readonly unit: number;
}
