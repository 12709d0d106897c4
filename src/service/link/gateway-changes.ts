// The changes that this cloud asks its gateways for. A change is stored before anything else; the node that talks to the
// gateway hands the changes over one after the other, and stores how each has ended.

import { narrow, seesSite } from "#core/access/caller.ts";
import { AppError, refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import type { AskedChange, ChangeOutcome, ComparedRecord, GatewayChange } from "#core/link/asked-change.ts";
import type { Gateway } from "#core/link/gateway.ts";
import type { DownMessage, LinkedItem, UpMessage } from "#core/link/messages.ts";
import { takesControls, takesInterlocks, takesRules } from "#core/link/protocol.ts";
import { rebased } from "#core/link/who-wins.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { requireLevel } from "#service/access/require-level.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import { createWake } from "#service/link/create-wake.ts";
import { type KnownNeeds, knownValues } from "#service/link/known-values.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface GatewayChangeNeeds
  extends KnownNeeds,
    Pick<Needs, "changes" | "gateways" | "blueprints" | "seal" | "now" | "newId"> {
  readonly prepareEvent: PrepareEvent;
  readonly nodes: Pick<Nodes, "isShared" | "broadcast">;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The part of a change that its caller knows. */
type NewChange = Pick<
  AskedChange,
  "operation" | "siteId" | "deviceId" | "params" | "body" | "blueprintDigest" | "leaseUntil" | "expected"
> & {
  readonly gatewayId: string;
  /** Whether it waits for a gateway that is away. Others are refused then. */
  readonly waits: boolean;
  readonly compares: ComparedRecord;
  /** Those are not in the audit log. */
  readonly isHeartbeat?: boolean;
  readonly shown: Payload;
  /** Refuses what the cloud knows to be wrong. For changes that wait: of others the gateway says it itself. */
  readonly check: () => Promise<void>;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** The roll-out that asks. Nobody waits for the answer, so what was changed on the gateway stays. */
  readonly rolloutId?: string | undefined;
};

/** One connection, as far as changes need it. */
interface Line {
  readonly gatewayId: string;
  send(message: DownMessage): Promise<void>;
  /** Stores copies of records. */
  copy(items: readonly LinkedItem[]): Promise<void>;
}

export interface ChangeLane {
  settled(message: Extract<UpMessage, { type: "changed" }>): Promise<void>;
  wanted(digest: string): Promise<void>;
  close(): void;
}

export interface GatewayChanges {
  /**
   * Stores the change and waits a while for its end. Refuses with `gateway_unreachable` what cannot wait for a gateway
   * that is away.
   */
  ask(call: Call, change: NewChange): Promise<GatewayChange>;
  /** Asks no longer for a change that waits. Who asked for it may do that, and owners. */
  withdraw(call: Call, id: string): Promise<GatewayChange>;
  /** Hands over what waits for a gateway that has connected. Rejects when the line or the records fail. */
  open(line: Line): { readonly lane: ChangeLane; readonly done: Promise<void> };
  /** Another node has stored a change for the gateway. */
  wake(gatewayId: string): void;
  /** Another node has settled it. */
  ended(changeId: string): void;
  /** Ends claims that wait for gateways that are away, and whose lease is over. Returns how many, a bounded number at a time. */
  endLapsed(): Promise<number>;
}

/** How long a call waits for the gateway's answer. */
const WAIT_MS = 10_000;
/** Messages of other nodes may be lost. */
const LOOK_AGAIN_MS = 1_000;
const LANE_LOOKS_AGAIN_MS = 30_000;
const LAPSED_AT_ONCE = 100;

/** Stored encrypted. */
interface Travelling {
  readonly sent: Pick<AskedChange, "params" | "body" | "blueprintDigest" | "asker" | "expected">;
  readonly compares: ComparedRecord;
}

export function createGatewayChanges(needs: GatewayChangeNeeds): GatewayChanges {
  const lanes = new Map<string, () => void>();
  const waiting = new Map<string, Set<() => void>>();

  async function ask(call: Call, change: NewChange): Promise<GatewayChange> {
    const { gatewayId, operation, siteId, deviceId, shown, params, body, blueprintDigest, rolloutId } = change;
    const gateway = await needs.gateways.find(gatewayId);
    const isThere = gateway?.isConnected === true;
    if (gateway === undefined || gateway.revokedAt !== undefined) {
      throw refuse(
        "owned_by_gateway",
        "the site belongs to a gateway whose access was revoked; it can only be deleted",
      );
    }
    requireKnown(gateway, change.compares);
    if (!isThere && !change.waits) {
      throw refuse("gateway_unreachable", `the gateway ${gateway.name} of the site is not connected`);
    }
    if (!isThere) await change.check();
    const id = needs.newId();
    const createdAt = needs.now();
    const { tokenId, tokenName, level, sites } = call.caller;
    const asker = { tokenId, tokenName, level, sites: sites === "all" ? ("all" as const) : [...sites] };
    const travelling: Travelling = {
      sent: { params, body, blueprintDigest, asker, expected: change.expected },
      compares: change.compares,
    };
    const stored: GatewayChange = {
      id,
      gatewayId,
      operation,
      siteId,
      deviceId,
      base: await knownValues(needs, change, change.compares),
      shown,
      askedBy: { tokenId, name: tokenName },
      requestId: call.requestId,
      sealed: needs.seal.seal(JSON.stringify(travelling), contextOf(id)),
      createdAt,
      leaseUntil: change.leaseUntil,
      awaitedUntil: instant(isThere && rolloutId === undefined ? createdAt + WAIT_MS : createdAt),
      state: "PENDING",
      settledAt: undefined,
      outcome: undefined,
    };
    const target = { siteId, ...(deviceId !== undefined && { deviceId }) };
    const trail = () => auditTrail(needs, call, { target, details: { change_id: id, ...shown } });
    await needs.changes.ask(stored, change.isHeartbeat === true ? undefined : trail(), rolloutId);
    if (!isThere) return stored;
    const ended = rolloutId === undefined ? watch(id, change.signal) : stored;
    wake(gatewayId);
    needs.nodes.broadcast({ kind: "change", has: "waits", gatewayId, id });
    return await ended;
  }

  /** The change when it is settled, or when nobody waits any longer. */
  async function watch(id: string, signal: AbortSignal): Promise<GatewayChange> {
    const settled = createWake();
    const watchers = waiting.get(id) ?? new Set();
    waiting.set(id, watchers.add(settled.call));
    const end = new AbortController();
    const leave = () => end.abort();
    signal.addEventListener("abort", leave);
    let isOver = false;
    void needs.pause(WAIT_MS, end.signal).then(() => {
      isOver = true;
      settled.call();
    });
    const lookAgain = needs.nodes.isShared ? (over: AbortSignal) => needs.pause(LOOK_AGAIN_MS, over) : undefined;
    try {
      for (;;) {
        await settled.next(lookAgain);
        const change = await needs.changes.find(id);
        if (change === undefined) throw refuse("not_found", `there is no change ${id}`);
        if (isOver || change.state !== "PENDING") return change;
      }
    } finally {
      // The signal may live as long as this node.
      signal.removeEventListener("abort", leave);
      end.abort();
      watchers.delete(settled.call);
      if (watchers.size === 0) waiting.delete(id);
    }
  }

  async function withdraw(call: Call, id: string): Promise<GatewayChange> {
    const change = await needs.changes.find(id);
    if (change === undefined || !seesSite(call.caller, change.siteId)) {
      throw refuse("not_found", `there is no change ${id.slice(0, 80)}`);
    }
    const { siteId, deviceId, gatewayId } = change;
    if (change.askedBy.tokenId !== call.caller.tokenId) requireLevel(narrow(call.caller, siteId), "owner");
    const at = needs.now();
    const withdrawn: GatewayChange = {
      ...change,
      state: "WITHDRAWN",
      outcome: { state: "WITHDRAWN", isByRollout: false },
      settledAt: at,
    };
    const target = { siteId, ...(deviceId !== undefined && { deviceId }) };
    const isDone = await needs.changes.withdraw(id, {
      at,
      trail: auditTrail(needs, call, { target, details: { change_id: id } }),
      events: eventsOf(withdrawn, at),
    });
    if (!isDone) {
      const { state } = (await needs.changes.find(id)) ?? change;
      throw refuse("conflict", `the change is ${state}; only one that is PENDING can be withdrawn`);
    }
    broadcastEnded(gatewayId, id);
    return withdrawn;
  }

  function eventsOf(change: GatewayChange, at: Instant): readonly PreparedEvent[] {
    const { siteId, deviceId } = change;
    return deviceId === undefined ? [] : [needs.prepareEvent({ kind: "change", siteId, deviceId, at, change })];
  }

  function broadcastEnded(gatewayId: string, id: string): void {
    ended(id);
    needs.nodes.broadcast({ kind: "change", has: "ended", gatewayId, id });
  }

  const hasLapsed = ({ leaseUntil }: GatewayChange) => leaseUntil !== undefined && leaseUntil <= needs.now();

  /** A claim whose lease is over is not made any more. */
  async function lapse(change: GatewayChange): Promise<void> {
    const at = needs.now();
    const events = eventsOf({ ...change, state: "REFUSED", outcome: LAPSED, settledAt: at }, at);
    await needs.changes.settle(change.id, { outcome: LAPSED, at, rebased: [], events });
    broadcastEnded(change.gatewayId, change.id);
  }

  /** Undefined when it cannot be opened, because of another key or damage. */
  function opened({ id, sealed }: GatewayChange): Travelling | undefined {
    try {
      return JSON.parse(needs.seal.open(sealed, contextOf(id))) as Travelling;
    } catch {
      return undefined;
    }
  }

  function wake(gatewayId: string): void {
    lanes.get(gatewayId)?.();
  }

  function ended(changeId: string): void {
    for (const call of waiting.get(changeId) ?? []) call();
  }

  function open(line: Line): { readonly lane: ChangeLane; readonly done: Promise<void> } {
    const { gatewayId } = line;
    const end = new AbortController();
    const awake = createWake();
    let underWay: { readonly change: GatewayChange; readonly travelling: Travelling } | undefined;
    let answered = Promise.withResolvers<void>();
    lanes.set(gatewayId, awake.call);

    const lookAgain = needs.nodes.isShared ? (over: AbortSignal) => needs.pause(LANE_LOOKS_AGAIN_MS, over) : undefined;

    async function run(): Promise<void> {
      while (!end.signal.aborted) {
        const change = await needs.changes.next(gatewayId);
        if (change === undefined) {
          await awake.next(lookAgain);
          continue;
        }
        answered = Promise.withResolvers<void>();
        const travelling = opened(change);
        if (travelling === undefined) {
          await needs.changes.settle(change.id, { outcome: LOST, at: needs.now(), rebased: [], events: [] });
          continue;
        }
        if (hasLapsed(change)) {
          await lapse(change);
          continue;
        }
        underWay = { change, travelling };
        const { id, operation, siteId, deviceId, base, requestId, leaseUntil } = change;
        await line.send({
          type: "change",
          change: { id, operation, siteId, deviceId, base, requestId, leaseUntil, ...travelling.sent },
          isLate: needs.now() >= change.awaitedUntil,
        });
        await answered.promise;
      }
    }

    return {
      lane: {
        async settled({ id, outcome, items }) {
          if (underWay?.change.id !== id) return;
          const { change, travelling } = underWay;
          await line.copy(items);
          const followers = outcome.state === "DONE" ? await needs.changes.beside(change) : [];
          const current = await knownValues(needs, { ...change, ...travelling.sent }, travelling.compares);
          const at = needs.now();
          await needs.changes.settle(id, {
            outcome,
            at,
            rebased: followers.map((one) => ({ id: one.id, base: rebased(one.base, change.base, current) })),
            events: eventsOf({ ...change, state: outcome.state, outcome, settledAt: at }, at),
          });
          broadcastEnded(gatewayId, id);
          underWay = undefined;
          answered.resolve();
        },
        async wanted(digest) {
          const blueprint = await needs.blueprints.findByDigest(digest);
          const content = blueprint && (await needs.blueprints.content(blueprint.id));
          await line.send({ type: "package", digest, content: content ?? new Uint8Array() });
        },
        close() {
          // Revoking a gateway settles its changes.
          for (const calls of waiting.values()) for (const call of calls) call();
          if (lanes.get(gatewayId) === awake.call) lanes.delete(gatewayId);
          end.abort();
          answered.resolve();
          awake.call();
        },
      },
      done: run(),
    };
  }

  async function endLapsed(): Promise<number> {
    const lapsed = await needs.changes.lapsed(needs.now(), LAPSED_AT_ONCE);
    for (const change of lapsed) await lapse(change);
    return lapsed.length;
  }

  return { ask, withdraw, open, wake, ended, endLapsed };
}

const RULES: ReadonlySet<ComparedRecord> = new Set(["rule", "rule_engine", "variable"]);

/** Refuses a change of what does not travel in the version of the link that the gateway speaks. */
function requireKnown({ name, version, protocol = "" }: Gateway, compares: ComparedRecord): void {
  const what =
    compares === "controls" && !takesControls(protocol)
      ? "whose devices cannot be controlled from a cloud"
      : compares === "interlock" && !takesInterlocks(protocol)
        ? "whose interlocks cannot be seen or changed from a cloud"
        : RULES.has(compares) && !takesRules(protocol)
          ? "whose rules cannot be seen or changed from a cloud"
          : undefined;
  if (what !== undefined) {
    throw refuse("not_available", `the gateway ${name} runs Busbar ${version}, ${what}; update it`);
  }
}

/** Throws why the change is not made. */
export function requireNotRefused({ id, outcome }: GatewayChange): void {
  if (outcome?.state === "WITHDRAWN") throw refuse("conflict", "the change was withdrawn", { change_id: id });
  if (outcome?.state === "REFUSED") {
    const [first, ...others] = outcome.errors;
    throw first === undefined ? refuse("conflict", "the gateway refuses the change") : new AppError([first, ...others]);
  }
  if (outcome?.state === "OVERRULED") {
    const { fields } = outcome;
    throw refuse("overruled", `the gateway has changed ${fields.join(", ")} meanwhile`, { change_id: id, fields });
  }
}

const LOST: ChangeOutcome = {
  state: "REFUSED",
  errors: [{ code: "conflict", message: "the stored change cannot be read any more; ask for it again" }],
};

const LAPSED: ChangeOutcome = {
  state: "REFUSED",
  errors: [{ code: "gateway_unreachable", message: "the lease ended before the gateway confirmed the claim" }],
};

const contextOf = (id: string) => `change ${id}`;
