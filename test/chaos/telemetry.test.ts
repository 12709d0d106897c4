// kill -9 while telemetry comes in, is sealed and is joined: no acknowledged point is lost, and none is there twice.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import { openSeries } from "#store/series/open-series.ts";
import { HAS_CITUS, startCitus } from "../support/citus.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { randomFrom } from "../support/random.ts";
import { readCsv } from "../support/read-csv.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";
import { chunksAt } from "./chunks-at.ts";
import { batchOf, DEVICES } from "./telemetry-points.ts";

const VICTIM = fileURLToPath(new URL("./telemetry-victim.ts", import.meta.url));
const ROUNDS = {
  sqlite: roundsOf("kills of telemetry, SQLite"),
  postgres: roundsOf("kills of telemetry, PostgreSQL"),
  citus: roundsOf("kills of telemetry, Citus"),
};
/** How often a place is passed before the kill there. */
const PASSES = IS_LONG ? [1, 4] : [2];
/** Long enough for some rounds of sealing. */
const LATEST_KILL = 150;
const POINTS = [
  "before-journal",
  "after-journal",
  "before-seal",
  "after-seal",
  "before-compaction",
  "after-compaction",
  "before-load",
  "after-load",
];

/** What may be at a place: the last acknowledged write, or one sent after it that nobody acknowledged. */
class Ledger {
  /** What was noted, for another one that goes on from here. */
  readonly lines: string[] = [];
  readonly #sent: number[] = [];
  readonly #acknowledged = new Set<number>();

  constructor(before: readonly string[] = []) {
    for (const line of before) this.note(line);
  }

  get next(): number {
    return this.#sent.length;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  note(line: string): void {
    this.lines.push(line);
    const [word, index] = line.split(" ");
    if (word === "sent") this.#sent.push(Number(index));
    if (word === "acknowledged") this.#acknowledged.add(Number(index));
  }

  /** By `device at`: the values that may be there; `undefined` among them when there need not be any. */
  allowed(): ReadonlyMap<string, ReadonlySet<string | undefined>> {
    const allowed = new Map<string, Set<string | undefined>>();
    for (const index of this.#sent) {
      const isSure = this.#acknowledged.has(index);
      const last = new Map(batchOf(index).map(({ deviceId, at, values }) => [`${deviceId} ${at}`, values.get("text")]));
      for (const [place, value] of last) {
        const before = isSure ? [] : (allowed.get(place) ?? [undefined]);
        allowed.set(place, new Set([...before, String(value)]));
      }
    }
    return allowed;
  }
}

/** Runs until `stop` says so or a failpoint strikes. */
async function runVictim(
  file: string,
  ledger: Ledger,
  { failpoint, stop }: { readonly failpoint?: string; readonly stop: (acknowledged: number) => boolean },
): Promise<void> {
  const before = ledger.acknowledged;
  const child = spawn(process.execPath, [VICTIM, file, String(ledger.next)], {
    env: { ...process.env, ...(failpoint !== undefined && { BUSBAR_FAILPOINT: failpoint }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    ledger.note(line);
    if (stop(ledger.acknowledged - before)) child.kill("SIGKILL");
  });
  // Whatever ends the test, the victim does not outlive this process.
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  const [[, signal]] = await Promise.all([once(child, "exit"), once(lines, "close")]);
  process.off("exit", end);
  expect(signal).toBe("SIGKILL");
}

function openStore(place: string): Promise<TelemetryStore> {
  return openSeries(chunksAt(place), { graceMs: 0, maxHotPoints: 1e6, readers: 1 }, (error) => {
    throw error;
  });
}

async function checkReopened(place: string, ledger: Ledger): Promise<{ points: number; reopened: number }> {
  const started = performance.now();
  const store = await openStore(place);
  const reopened = performance.now() - started;
  try {
    return { points: await check(store, ledger), reopened };
  } finally {
    await store.close();
  }
}

/** Returns the number of points. */
async function check(store: TelemetryStore, ledger: Ledger): Promise<number> {
  const allowed = ledger.allowed();
  const problems: string[] = [];
  let points = 0;
  for (const deviceId of DEVICES) {
    const rows = await read(store, deviceId);
    points += rows.size;
    for (const [at, { count, text, n }] of rows) {
      const place = `${deviceId} ${at}`;
      const [index = 0, row = 0] = text.split(".").map(Number);
      if (count !== "1") problems.push(`${place} is there ${count} times`);
      if (allowed.get(place)?.has(text) !== true) problems.push(`${place} has ${text}, which should not be there`);
      if (n !== String(index + row / 100)) problems.push(`${place} has ${n} beside ${text}`);
    }
    for (const [place, values] of allowed) {
      const [device, at] = place.split(" ");
      if (device === deviceId && !values.has(undefined) && !rows.has(Number(at))) problems.push(`${place} is lost`);
    }
  }
  expect(problems).toEqual([]);
  return points;
}

async function read(store: TelemetryStore, deviceId: string) {
  const item = { deviceId, granularityMs: 60_000, lookAroundMs: undefined };
  const request = {
    requester: "test",
    from: instant(0),
    to: instant(1e12),
    items: [
      { ...item, attribute: "n", kind: "number", aggregation: "count" },
      { ...item, attribute: "n", kind: "number", aggregation: "last" },
      { ...item, attribute: "text", kind: "text", aggregation: "last" },
    ],
  } as const;
  const lines = (await readCsv(store, request)).split("\n").slice(0, -1);
  return new Map(
    lines.map((line) => {
      const [ts, count = "", n = "", text = ""] = line.split(",");
      return [Number(ts) * 1_000, { count, n, text }];
    }),
  );
}

test("a kill at a random moment loses no acknowledged point and doubles none", async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
  const file = join(tempFolder(), "telemetry.db");
  const ledger = new Ledger();
  for (let round = 1; round <= ROUNDS.sqlite; round++) {
    const limit = 1 + Math.floor(random() * LATEST_KILL);
    await runVictim(file, ledger, { stop: (acknowledged) => acknowledged >= limit });
    const { points, reopened } = await checkReopened(file, ledger);
    console.log(
      `round ${round}: ${ledger.acknowledged} of ${ledger.next} batches acknowledged, ${points} points, reopened in ${Math.round(reopened)} ms`,
    );
  }
});

describe("a kill at", () => {
  let begun: { readonly folder: string; readonly lines: readonly string[] };

  /** Some hours and days first, so that there is something to seal and to join. Each test goes on with a copy. */
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "busbar-begun-"));
    const ledger = new Ledger();
    await runVictim(join(folder, "telemetry.db"), ledger, { stop: (acknowledged) => acknowledged >= 30 });
    begun = { folder, lines: ledger.lines };
  });
  afterAll(() => rmSync(begun.folder, { recursive: true }));

  test.each(POINTS)("telemetry.%s loses no acknowledged point and doubles none", async (name) => {
    const folder = tempFolder();
    cpSync(begun.folder, folder, { recursive: true });
    const file = join(folder, "telemetry.db");
    const ledger = new Ledger(begun.lines);
    for (const pass of PASSES) {
      await runVictim(file, ledger, { failpoint: `telemetry.${name}:${pass}`, stop: () => false });
      await checkReopened(file, ledger);
    }
  });
});

describe("on PostgreSQL, with another node that goes on", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  /** The other node reads before the kill, so it holds points that the dying node seals. */
  async function withNode(name: string, work: (url: string, ledger: Ledger, node: TelemetryStore) => Promise<void>) {
    const url = await server.prepared(name);
    const node = await openStore(url);
    try {
      await work(url, new Ledger(), node);
    } finally {
      await node.close();
    }
  }

  test("a kill of a node at a random moment loses no point on any node", () =>
    withNode("random", async (url, ledger, node) => {
      const random = randomFrom(Number(process.env["BUSBAR_TEST_SEED"] ?? 11));
      for (let round = 1; round <= ROUNDS.postgres; round++) {
        const limit = 1 + Math.floor(random() * LATEST_KILL);
        await runVictim(url, ledger, { stop: (acknowledged) => acknowledged >= limit });
        const points = await check(node, ledger);
        expect((await checkReopened(url, ledger)).points).toBe(points);
      }
    }));

  test.each(IS_LONG ? POINTS : ["after-seal", "before-compaction"])(
    "a kill of a node at telemetry.%s loses no point on any node",
    (name) =>
      withNode(name, async (url, ledger, node) => {
        await runVictim(url, ledger, { stop: (acknowledged) => acknowledged >= 30 });
        await check(node, ledger);
        await runVictim(url, ledger, { failpoint: `telemetry.${name}:2`, stop: () => false });
        const points = await check(node, ledger);
        // The node that is left finishes what the other one began.
        await node.settle(instant(Date.now()));
        expect(await check(node, ledger)).toBe(points);
        expect((await checkReopened(url, ledger)).points).toBe(points);
      }),
  );
});

sayIfWithoutCitus();

describe.runIf(HAS_CITUS)("on Citus, with a node that goes on", () => {
  /** A message that was not acknowledged is sent again, and later ones wait for it. */
  async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = Promise.withResolvers<Result>();
    const tried = () =>
      work().then(
        (result) => {
          done.resolve(result);
          return "done";
        },
        (error: unknown) => String(error),
      );
    await expect.poll(tried, { interval: 20 }).toBe("done");
    return await done.promise;
  }

  test("kills of a worker, of the coordinator and of a node lose no acknowledged point and double none", async () => {
    const cluster = await startCitus();
    const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
    const random = randomFrom(seed);
    console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
    const url = await cluster.prepared("killed");
    // On both workers: devices that come one after the other would share a partition.
    const session = await cluster.session("killed");
    await session.query(
      "INSERT INTO telemetry_device (id, device_id) SELECT * FROM unnest('{1,2,3}'::bigint[], $1::text[])",
      [DEVICES],
    );
    await session.end();
    const node = await openStore(url);
    const ledger = new Ledger();
    let refused = 0;
    let isOver = false;
    async function load(): Promise<void> {
      while (!isOver) {
        const index = ledger.next;
        ledger.note(`sent ${index}`);
        await patiently(() =>
          node.append(batchOf(index)).catch((error: unknown) => {
            refused++;
            throw error;
          }),
        );
        ledger.note(`acknowledged ${index}`);
        // What is over is sealed and joined, and that is cut off, too.
        if (index % 10 === 9) await node.settle(instant(Date.now())).catch(() => {});
      }
    }
    try {
      const [one, two] = cluster.workers;
      const targets = [one, cluster.coordinator, two];
      for (let round = 0; round < ROUNDS.citus; round++) {
        isOver = false;
        const goal = ledger.acknowledged + 5 + Math.floor(random() * 30);
        const running = load();
        await expect.poll(() => ledger.acknowledged, { interval: 1 }).toBeGreaterThanOrEqual(goal);
        await targets[round % targets.length]?.crash();
        // Points are taken again, on all servers.
        await expect.poll(() => ledger.acknowledged, { interval: 5 }).toBeGreaterThanOrEqual(goal + 10);
        isOver = true;
        await running;
        await patiently(() => read(node, DEVICES[0]));
        const points = await check(node, ledger);
        const limit = 1 + Math.floor(random() * 40);
        await runVictim(url, ledger, { stop: (acknowledged) => acknowledged >= limit });
        expect(await check(node, ledger)).toBeGreaterThanOrEqual(points);
        expect((await checkReopened(url, ledger)).points).toBe(await check(node, ledger));
      }
      console.log(`${ROUNDS.citus} kills of servers, ${ledger.acknowledged} batches acknowledged, ${refused} refused`);
    } finally {
      await node.close();
      await cluster.stop();
    }
  });
});
