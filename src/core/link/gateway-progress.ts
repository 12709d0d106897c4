// How far one connection of a gateway to this cloud has come, as a pure fold over what the gateway sends.
//
//   greeting -> syncing -> asked -> ready
//
// The gateway says hello and sends what changed. Then it is asked for executions that are open, and then it gets commands and
// changes. No stage comes twice within a connection.
import type { Gateway } from "./gateway.ts";
import { LinkMistake } from "./message-fields.ts";
import type { UpMessage } from "./messages.ts";

type GatewayStage = "greeting" | "syncing" | "asked" | "ready";

export interface GatewayProgress {
  readonly stage: GatewayStage;
  /** The records that the cloud had settled with the gateway before this connection; undefined: none. */
  readonly settledEpoch: string | undefined;
  /** The records that the gateway has now. Empty until it has said hello, as the version of its program. */
  readonly epoch: string;
  readonly version: string;
  /** Of the link, that the gateway speaks. */
  readonly protocol: string | undefined;
  /** Its records up to this one are stored here. */
  readonly taken: number;
}

type Hello = Extract<UpMessage, { type: "hello" }>;
type Records = Pick<Extract<UpMessage, { type: "records" }>, "isWhole" | "isLast" | "to">;

export function beginProgress({ epoch, taken }: Pick<Gateway, "epoch" | "taken">): GatewayProgress {
  return { stage: "greeting", settledEpoch: epoch, epoch: "", version: "", protocol: undefined, taken };
}

/** Hello comes first, and once. Everything else may come in any later stage. */
export function requireInTurn({ stage }: GatewayProgress, type: UpMessage["type"]): void {
  if (stage === "greeting" && type !== "hello") throw new LinkMistake("the gateway did not say hello first");
  if (stage !== "greeting" && type === "hello") throw new LinkMistake("the gateway said hello twice");
}

/** `mustRepeat`: what the cloud refused before has to come again. */
export function withHello(
  progress: GatewayProgress,
  {
    epoch,
    version,
    protocol,
    mustRepeat,
  }: Pick<Hello, "epoch" | "version" | "protocol"> & { readonly mustRepeat: boolean },
): GatewayProgress {
  const isKnown = epoch === progress.settledEpoch;
  return {
    ...progress,
    stage: "syncing",
    epoch,
    version,
    protocol,
    taken: isKnown && !mustRepeat ? progress.taken : 0,
  };
}

/** The gateway has other records than those that were settled, or none were. */
export function hasOtherRecords({ epoch, settledEpoch }: GatewayProgress): boolean {
  return epoch !== settledEpoch;
}

/** The gateway has replaced its records since it was here last. What it does not know it may have run. */
export function isRestored(progress: GatewayProgress): boolean {
  return progress.settledEpoch !== undefined && hasOtherRecords(progress);
}

/** Of a full upload only the last part has a position: one that broke off begins again. */
export function hasPosition({ isWhole, isLast }: Records): boolean {
  return !isWhole || isLast;
}

export function withRecords(progress: GatewayProgress, records: Records): GatewayProgress {
  const { stage, taken } = progress;
  return {
    ...progress,
    stage: stage === "syncing" && records.isLast ? "asked" : stage,
    taken: hasPosition(records) ? records.to : taken,
  };
}

/** Nothing is left to ask the gateway for. */
export function withEverythingAnswered(progress: GatewayProgress): GatewayProgress {
  return progress.stage === "asked" ? { ...progress, stage: "ready" } : progress;
}

/** What is stored about the gateway. */
export function positionOf({ stage, settledEpoch, epoch, version, protocol, taken }: GatewayProgress): {
  readonly version: string;
  readonly protocol: string | undefined;
  readonly epoch: string | undefined;
  readonly taken: number;
  readonly isCaughtUp: boolean;
} {
  const isCaughtUp = stage === "ready";
  // The new epoch counts once everything is settled that the gateway may have lost. Else a cut would hide the loss.
  return { version, protocol, epoch: isCaughtUp ? epoch : settledEpoch, taken, isCaughtUp };
}
