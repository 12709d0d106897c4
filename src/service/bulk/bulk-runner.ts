// Runs bulk commands. What is decided is stored before it is done: a device's execution has its id before it exists, so
// whoever goes on after a kill finds the execution, or that there is none yet, and nothing is done twice or forgotten.

import { type Caller, narrow } from "#core/access/caller.ts";
import { AppError } from "#core/app-error.ts";
import { type BulkCommand, type BulkMember, MAX_BULK_PARALLEL, planBulk } from "#core/bulk/bulk-command.ts";
import { type Execution, hasEnded } from "#core/command/execution.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { ExecutionInput } from "#service/command/create-execution.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { MemberChange } from "#service/ports/bulk-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { SealedCommand } from "./create-bulk.ts";
import { isPassing, refusalOf } from "./refusal-of.ts";

export interface BulkRunnerNeeds extends Pick<Needs, "bulks" | "seal" | "now" | "newId"> {
  readonly executions: Pick<Needs["executions"], "find">;
  /** As any caller executes a command, and cancels it. */
  readonly execute: (call: Call, input: ExecutionInput) => Promise<unknown>;
  readonly cancel: (call: Call, which: { readonly device: string; readonly executionId: string }) => Promise<unknown>;
  readonly authenticator: Pick<Authenticator, "holder">;
  readonly prepareEvent: PrepareEvent;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: { warn(about: object, text: string): void };
}

/** A device is tried again for so long. */
const TRY_FOR_MS = 60_000;
/** How long a device may be out of sight behind its gateway. */
const UNSYNC_MS = 600_000;
/** After a failure of the store. */
const AGAIN_MS = 1_000;

export interface BulkRunner {
  /** Runs all bulk commands until none is left or the work is to stop. */
  run(stopping: AbortSignal): Promise<void>;
}

export function createBulkRunner(needs: BulkRunnerNeeds): BulkRunner {
  /** Executions that were asked to end, so that they are asked once. */
  const cancelled = new Set<string>();

  async function step(bulk: BulkCommand): Promise<number> {
    const caller = await callerOf(needs, bulk);
    if (typeof caller === "string") {
      await needs.bulks.turn(bulk.id, { to: "STOPPED", reason: caller }, undefined);
    }
    await follow(bulk, caller);
    const [counts, lastBegunAt] = await Promise.all([needs.bulks.counts(bulk.id), needs.bulks.lastBegunAt(bulk.id)]);
    const next = planBulk(bulk, { counts, lastBegunAt, now: needs.now() });
    if (next.kind === "wait") return next.ms;
    if (next.kind === "turn") await needs.bulks.turn(bulk.id, next, undefined);
    else if (next.kind === "end") await end(bulk);
    else if (typeof caller !== "string") await begin(bulk, caller, next.count);
    return 0;
  }

  /** Looks at the devices that run. */
  async function follow(bulk: BulkCommand, caller: Caller | string): Promise<void> {
    const page = { limit: MAX_BULK_PARALLEL, offset: 0 };
    const { items } = await needs.bulks.members(bulk.id, { states: ["RUNNING"] }, page);
    const changes = await Promise.all(items.map((member) => lookAt(bulk, member, caller)));
    await put(
      bulk,
      "RUNNING",
      changes.flatMap((change) => change ?? []),
    );
  }

  async function lookAt(
    bulk: BulkCommand,
    member: BulkMember,
    caller: Caller | string,
  ): Promise<BulkMember | undefined> {
    const { deviceId = "", executionId = "" } = member;
    const execution = await needs.executions.find(deviceId, executionId, needs.now());
    if (execution === undefined) {
      if (typeof caller === "string") return { ...member, state: "REFUSED", code: "unauthorized", message: caller };
      if (bulk.state === "CANCELLED") return { ...member, state: "SKIPPED", executionId: undefined };
      return await create(bulk, member, caller);
    }
    const { state } = execution;
    if (state === "SUCCESS") return { ...member, state: "SUCCESS" };
    const isLost = state === "UNSYNC" && needs.now() - (member.begunAt ?? needs.now()) > UNSYNC_MS;
    if (hasEnded(state) || isLost) return { ...member, state: "FAILED", code: state, message: messageOf(execution) };
    if (bulk.state === "CANCELLED" && typeof caller !== "string") await cancel(bulk, execution, caller);
    return undefined;
  }

  /** What cannot be cancelled goes on to its end. */
  async function cancel(bulk: BulkCommand, { id, deviceId, siteId }: Execution, caller: Caller): Promise<void> {
    if (cancelled.has(id)) return;
    cancelled.add(id);
    try {
      await needs.cancel(callOf(bulk, narrow(caller, siteId)), { device: deviceId, executionId: id });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  async function begin(bulk: BulkCommand, caller: Caller, count: number): Promise<void> {
    const { items } = await needs.bulks.members(bulk.id, { states: ["WAITING"] }, { limit: count, offset: 0 });
    const begunAt = needs.now();
    const begun = items.map((one): BulkMember => ({ ...one, state: "RUNNING", begunAt, executionId: needs.newId() }));
    // The id is stored before the execution is.
    const mine = await put(bulk, "WAITING", begun);
    const changes = await Promise.all(mine.map((member) => create(bulk, member, caller)));
    await put(
      bulk,
      "RUNNING",
      changes.flatMap((change) => change ?? []),
    );
  }

  /** The member if it has no execution and gets none. */
  async function create(bulk: BulkCommand, member: BulkMember, caller: Caller): Promise<BulkMember | undefined> {
    const { deviceId = "", executionId = "", siteId = "" } = member;
    const refused = (error: unknown): BulkMember => ({
      ...member,
      state: "REFUSED",
      ...refusalOf(error),
      executionId: undefined,
    });
    try {
      const command = await clearCommand(needs, bulk);
      if (command === undefined) {
        return { ...member, state: "REFUSED", executionId: undefined, code: "internal", message: UNREADABLE };
      }
      await needs.execute(callOf(bulk, narrow(caller, siteId)), {
        ...command,
        device: deviceId,
        ephemeral: false,
        idempotencyKey: undefined,
        withLog: false,
        id: executionId,
        bulkId: bulk.id,
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) {
        needs.log.warn({ bulkId: bulk.id, deviceId, err: error }, "a device of a bulk command could not begin");
        return undefined;
      }
      const isTried = needs.now() - (member.begunAt ?? needs.now()) < TRY_FOR_MS;
      return isPassing(error) && isTried ? undefined : refused(error);
    }
  }

  async function put(bulk: BulkCommand, from: MemberChange["from"], members: readonly BulkMember[]) {
    if (members.length === 0) return [];
    const events = members.flatMap((member) => eventOf(bulk, member) ?? []);
    return await needs.bulks.putMembers(
      bulk.id,
      members.map((to) => ({ from, to })),
      events,
    );
  }

  async function end(bulk: BulkCommand): Promise<void> {
    const { items } = await needs.bulks.members(bulk.id, {}, { limit: MAX_BULK_PARALLEL, offset: 0 });
    const member = items.find(({ deviceId }) => deviceId !== undefined);
    await needs.bulks.end(bulk.id, needs.now(), member && eventOf({ ...bulk, endedAt: needs.now() }, member));
  }

  function eventOf(bulk: BulkCommand, member: BulkMember) {
    const { siteId, deviceId } = member;
    if (siteId === undefined || deviceId === undefined) return undefined;
    return needs.prepareEvent({ kind: "bulk", siteId, deviceId, bulk, member, at: needs.now() });
  }

  /** How long nothing has to be looked at. */
  async function steps(): Promise<number | undefined> {
    let ms: number | undefined;
    for (const { id } of await needs.bulks.open()) {
      try {
        // Somebody may have cancelled it meanwhile.
        const bulk = await needs.bulks.find(id);
        if (bulk?.endedAt === undefined && bulk !== undefined) ms = Math.min(ms ?? AGAIN_MS, await step(bulk));
      } catch (error) {
        needs.log.warn({ bulkId: id, err: error }, "a step of a bulk command has failed");
        ms ??= AGAIN_MS;
      }
    }
    return ms;
  }

  return {
    async run(stopping) {
      while (!stopping.aborted) {
        const ms = await steps();
        if (ms === undefined) return cancelled.clear();
        if (ms > 0) await needs.pause(ms, stopping);
      }
    },
  };
}

const UNREADABLE = "the stored arguments cannot be read; the command was not sent";

function messageOf({ state, response }: Execution): string {
  const message = response?.payload?.["message"];
  return typeof message === "string" ? message.slice(0, 300) : `the execution ended with ${state}`;
}

/** With the rights that the token has now; a text when it has none. */
async function callerOf({ authenticator }: BulkRunnerNeeds, { createdBy }: BulkCommand): Promise<Caller | string> {
  try {
    return (await authenticator.holder(createdBy.tokenId)).caller;
  } catch (error) {
    if (isPassing(error)) throw error;
    return refusalOf(error).message;
  }
}

async function clearCommand({ bulks, seal }: BulkRunnerNeeds, { id }: BulkCommand): Promise<SealedCommand | undefined> {
  const sealed = await bulks.sealed(id);
  try {
    return sealed && (JSON.parse(seal.open(sealed, id)) as SealedCommand);
  } catch {
    return undefined;
  }
}

function callOf({ id, scheduleId, door }: BulkCommand, caller: Caller): Call {
  return { caller, operation: "runBulkCommand", requestId: id, remoteAddress: "bulk", door, scheduleId };
}
