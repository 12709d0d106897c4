// Lists and lives of executions against a naive store in memory, over far more cases than anybody would write down.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { instant } from "#core/time/instant.ts";
import { arrival, asNew, EVERYTHING, makeExecution } from "../support/executions.ts";
import { createMemoryExecutions } from "../support/memory-executions.ts";
import { randomFrom } from "../support/random.ts";
import { makeEntry, newId } from "../support/records.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { farList, life, play, take } from "./execution-model.ts";
import { newDevice } from "./record-store-contract.ts";
import type { OpenStores } from "./stores.ts";

/** `expectIntact` looks at what the store keeps beside the rows themselves, such as counters. */
export function executionModelContract(open: OpenStores, expectIntact: () => Promise<void> | void, runs: number): void {
  test("a random life of executions is answered as by a naive store", async () => {
    const ids = Array.from({ length: 100 }, newId);
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(life, async (one) => {
        const stores = await open();
        const { executions } = stores;
        const [a, b] = [await newDevice(stores), await newDevice(stores)];
        const places = [a, b, await newDevice(stores, a.siteId)];
        steps += one.length;
        const expected = await play(createMemoryExecutions(), places, { steps: one, ids });
        expect(await play(executions, places, { steps: one, ids })).toEqual(expected);
        await expectIntact();
      }),
      { numRuns: runs },
    );
    console.log(`${steps} steps compared`);
  });

  test("far pages over many groups and days are those of a naive store", async () => {
    const COUNT = IS_LONG ? 4_000 : 1_000;
    const LISTS = roundsOf("far lists of executions");
    const opened = await open();
    const { executions } = opened;
    const naive = createMemoryExecutions();
    const first = await newDevice(opened);
    const places = [first];
    while (places.length < 24) places.push(await newDevice(opened, first.siteId));
    const random = randomFrom(11);
    const any = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const stores = [executions, naive];
    await Promise.all(
      Array.from({ length: COUNT }, async () => {
        const name = any(["start", "go", "stop", "start_all"]);
        const request = { name, manifestName: name === "go" ? "start" : name, arguments: {} };
        const [place, readLevel, ephemeral] = [any(places), any(ACCESS_LEVELS), random() < 0.2];
        // Most lie on a few hours of the last days, so that many share a moment.
        const after = Math.floor(34 - random() ** 3 * 120) * 3_600_000 + Math.floor(random() * 40);
        const execution = makeExecution(place, { request, readLevel, ephemeral, after });
        const state = any(["SUCCEEDED", "SUCCEEDED", "ERROR", "IN_PROGRESS", undefined] as const);
        for (const store of stores) {
          await store.insert(asNew(execution, { maxOpen: COUNT }), makeEntry());
          if (state !== undefined) await store.record(place.deviceId, execution.id, arrival(state));
        }
      }),
    );
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(farList(COUNT), async (one) => {
        const asked = { places, made: [], id: "" };
        const expected = await take(naive, one, asked);
        expect(await take(executions, one, asked)).toEqual(expected);
        compared++;
      }),
      { numRuns: LISTS },
    );
    expect(compared).toBeGreaterThanOrEqual(LISTS);
    // A list of so many groups walks over the whole site: its bounds are moments at which some of the executions lie.
    const { items } = await naive.list({ ...EVERYTHING, siteId: first.siteId }, { limit: COUNT, offset: 0 });
    for (const { createdAt } of items.filter((_, index) => index % (COUNT / 8) === 0)) {
      const bounds = { since: createdAt, before: createdAt, now: instant(createdAt + EPHEMERAL_LIFETIME_MS - 1) };
      for (const bound of ["since", "before", "now"] as const) {
        for (const newestFirst of [false, true]) {
          const filter = { ...EVERYTHING, siteId: first.siteId, newestFirst, [bound]: bounds[bound] };
          for (const offset of [0, 3]) {
            const page = { limit: 3, offset };
            const expected = await naive.list(filter, page);
            expect({ filter, ...(await executions.list(filter, page)) }).toEqual({ filter, ...expected });
          }
        }
      }
    }
    await expectIntact();
  });
}
