// A load of commands while a worker, and then the coordinator, is killed again and again.
import pg from "pg";
import { expect, test } from "vitest";
import { AppError } from "#core/app-error.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import type { Citus } from "../support/citus.ts";
import { arrival, asNew, makeExecution, makeKey, type Place } from "../support/executions.ts";
import { makeDevice, makeEntry, makeSite, NOON } from "../support/records.ts";
import { roundsOf } from "../support/rounds.ts";
import { expectCountersRight } from "./expect-counters.ts";

const DEVICES = 4;
/** Commands that end between two kills. */
const BETWEEN = 12;
const AGAIN_MS = 50;

export function citusKillsContract(cluster: () => Citus): void {
  test("kills of a worker and of the coordinator under load: nothing acknowledged is lost, nothing starts twice", async () => {
    const url = await cluster().prepared("kills");
    const records = await openPostgresRecords(url, { allowLoss: true });
    const places = await Promise.all(Array.from({ length: DEVICES }, () => newPlace(records)));
    const load = createLoad(records);
    const seen = new Map<string, string[]>();
    const leave = records.outbox.watch((event) => {
      if ("execution" in event)
        seen.set(event.execution.id, [...(seen.get(event.execution.id) ?? []), event.execution.state]);
    }, 0);
    const { coordinator, workers } = cluster();
    const targets = [workers[0], coordinator, workers[1]];
    const working = places.map((place) => load.work(place));
    for (let round = 0; round < roundsOf("kills of servers of Citus"); round++) {
      await load.more(BETWEEN);
      await targets[round % targets.length]?.crash();
    }
    await load.more(BETWEEN);
    load.end();
    await Promise.all(working);
    expect(load.wrong).toEqual([]);
    for (const [id, deviceId] of load.ended) {
      expect((await records.executions.find(deviceId, id, NOON))?.state).toBe("SUCCESS");
    }
    expect([...load.starts.values()].filter((count) => count > 1)).toEqual([]);
    expect(load.starts.size).toBeGreaterThan(0);
    await expect
      .poll(() => [...load.ended.keys()].filter((id) => !seen.get(id)?.includes("SUCCESS")), { timeout: 20_000 })
      .toEqual([]);
    for (const id of load.ended.keys()) expect(seen.get(id)).toEqual(["NEW", "IN_PROGRESS", "SUCCESS"]);
    leave();
    await records.close();
    const client = new pg.Client(url);
    await client.connect();
    const rows = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows;
    // Each key made one execution, however often the call was repeated.
    expect(await rows("SELECT count(*)::int AS count FROM execution")).toEqual([{ count: load.ended.size }]);
    expect(await rows("SELECT count(*)::int AS count FROM execution_response")).toEqual([
      { count: 2 * load.ended.size },
    ]);
    await expectCountersRight(async (sql) =>
      (await rows(sql)).map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])),
      ),
    );
    await client.end();
  }, 600_000);
}

type Records = Awaited<ReturnType<typeof openPostgresRecords>>;

async function newPlace(records: Records): Promise<Place> {
  const site = makeSite();
  await records.sites.insert(site, makeEntry());
  const device = makeDevice(site.id);
  await records.devices.insert(device, makeEntry());
  return { siteId: site.id, deviceId: device.id };
}

function createLoad({ executions }: Records) {
  const ended = new Map<string, string>();
  const starts = new Map<string, number>();
  const wrong: unknown[] = [];
  let isOver = false;
  let waiting: { readonly until: number; readonly resolve: () => void } | undefined;

  /** Undefined if the call was refused because the database is away. */
  async function unlessAway<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof AppError && error.code === "storage_unavailable") return undefined;
      wrong.push(error);
      throw error;
    }
  }

  /** As a caller does: refused, it asks again. */
  async function patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const answer = await unlessAway(async () => ({ result: await ask() }));
      if (answer !== undefined) return answer.result;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  async function command(place: Place, key: string): Promise<void> {
    // A repeated call makes an execution of its own, unless its key was used before.
    const { execution } = await patiently(() => {
      const made = makeExecution(place);
      return executions.insert(asNew(made, { idempotency: makeKey(made, key) }), makeEntry());
    });
    const { id, deviceId } = execution;
    for (let tries = 0; tries < 2; tries++) {
      const isMarked = await unlessAway(() => executions.markAttempted(id, deviceId));
      if (isMarked === true) starts.set(id, (starts.get(id) ?? 0) + 1);
    }
    for (const [index, state] of (["STARTED", "SUCCEEDED"] as const).entries()) {
      await patiently(() => executions.record(deviceId, id, arrival(state, { after: 1_000 + index, repeated: true })));
    }
    ended.set(id, deviceId);
    if (waiting !== undefined && ended.size >= waiting.until) waiting.resolve();
  }

  return {
    ended,
    starts,
    wrong,
    async work(place: Place) {
      for (let n = 0; !isOver; n++) await command(place, `key ${n}`).catch(() => (isOver = true));
      waiting?.resolve();
    },
    /** Until so many more have ended. */
    more(count: number): Promise<void> {
      if (isOver) return Promise.resolve();
      return new Promise((resolve) => {
        waiting = { until: ended.size + count, resolve };
      });
    },
    end() {
      isOver = true;
    },
  };
}
