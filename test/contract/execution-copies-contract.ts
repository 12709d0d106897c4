// Copies of executions over a bad line, between a store and the one in memory, both ways.
import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "#core/app-error.ts";
import type { Execution } from "#core/command/execution.ts";
import { makeExecution } from "../support/executions.ts";
import { createMemoryExecutions } from "../support/memory-executions.ts";
import { newId } from "../support/records.ts";
import { roundsOf } from "../support/rounds.ts";
import { life, take } from "./execution-model.ts";
import { newDevice } from "./record-store-contract.ts";
import { expectRefusal, type OpenStores } from "./stores.ts";

const LIVES = roundsOf("random lives of copied executions");
/** A thousand lives take more than ten minutes on Citus. */
const HANGS_AFTER_MS = 600_000 + LIVES * 10_000;

export function executionCopiesContract(open: OpenStores): void {
  test("a copy of an execution of a device that is not here is refused", async () => {
    const { executions } = await open();
    const execution = makeExecution({ siteId: newId(), deviceId: newId() });
    const change = { execution, responses: [], since: 0, leftOut: undefined };
    await expectRefusal(executions.applyRemote(change), "device_not_found");
  });

  test("after any life of executions, copies made over a line that loses and repeats are those of the owner", {
    timeout: HANGS_AFTER_MS,
  }, async () => {
    const ids = Array.from({ length: 100 }, newId);
    await fc.assert(
      fc.asyncProperty(life, fc.infiniteStream(fc.nat({ max: 9 })), fc.boolean(), async (one, dice, ownsStore) => {
        const stores = await open();
        const { executions } = stores;
        const places = [await newDevice(stores), await newDevice(stores)];
        const [owner, copies] = ownsStore
          ? [executions, createMemoryExecutions()]
          : [createMemoryExecutions(), executions];
        const random = () => dice.next().value;
        const made: Execution[] = [];
        let heard = 0;
        // A piece of the life, then a page, of which some gets lost and some comes twice.
        for (let step = 0; step < one.length; step += 5) {
          for (const [index, next] of one.slice(step, step + 5).entries()) {
            const situation = { places, made, id: ids[step + index] ?? "" };
            await take(owner, next, situation).catch((error: unknown) => expect(error).toBeInstanceOf(AppError));
          }
          const page = await owner.changesAfter(Math.max(0, heard - random()), 1 + random());
          for (const change of page.changes) if (random() > 2) await copies.applyRemote(change);
          if (random() > 4) heard = page.next;
        }
        for (let cursor = 0; ; ) {
          const page = await owner.changesAfter(cursor, 7);
          for (const change of page.changes) expect((await copies.applyRemote(change)).kind).not.toBe("gap");
          if (page.changes.length === 0) break;
          cursor = page.next;
        }
        const { changes } = await owner.changesAfter(0, 1_000);
        for (const { execution } of changes) {
          const { deviceId, id, createdAt } = execution;
          expect(await copies.find(deviceId, id, createdAt)).toEqual({ ...execution, isRemote: true });
          expect(await copies.responses(id)).toEqual(await owner.responses(id));
        }
      }),
      // A life that hangs is reported with its seed, before the time of the whole test is over.
      { numRuns: LIVES, timeout: 240_000, endOnFailure: true },
    );
  });
}
