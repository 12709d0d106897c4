// Random points and queries on PostgreSQL 15 and 18 and on SQLite, at the same time and cell by cell what a naive reference
// gives. On PostgreSQL one node does everything, or two take turns. `npm run test:long` asks much more, and a Citus, too.
import { afterAll, beforeAll, expect, test } from "vitest";
import { HAS_CITUS, startCitus } from "../support/citus.ts";
import { POSTGRES_VERSIONS, type Postgres, startPostgres } from "../support/postgres.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import {
  findDifferenceInCounter,
  findDifferenceInIntegral,
  findDifferenceOn,
  type QueryBench,
  SeriesBench,
  sqliteBackend,
  together,
} from "../support/series-bench.ts";
import { openSharedNodes, type SharedNodes } from "../support/shared-bench.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";

if (IS_LONG) sayIfWithoutCitus();

/** Queries cost less than points, and their borders lie on and beside the points of their seed. */
const SEEDS = roundsOf("seeds of random queries, PostgreSQL");
const QUERIES = IS_LONG ? 100 : 200;

interface Server extends Pick<Postgres, "prepared" | "stop"> {}

const STARTS = new Map<string, () => Promise<Server>>([
  ...[...POSTGRES_VERSIONS].map((version) => [`PostgreSQL ${version}`, () => startPostgres({ version })] as const),
  ...(IS_LONG && HAS_CITUS ? [["Citus", startCitus] as const] : []),
]);
const servers: Server[] = [];
const shared = new Map<string, SharedNodes>();

beforeAll(async () => {
  for (const [name, start] of STARTS) {
    const server = await start();
    servers.push(server);
    shared.set(name, await openSharedNodes(await server.prepared("queries"), 2));
  }
});
afterAll(async () => {
  for (const nodes of shared.values()) await nodes.close();
  for (const server of servers) await server.stop();
});

test(`${SEEDS * QUERIES} random queries on SQLite, ${[...STARTS.keys()].join(", ")}`, {
  timeout: 7_200_000,
}, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const benches = new Map<string, QueryBench>([["SQLite", await SeriesBench.open(sqliteBackend())]]);
    for (const [name, nodes] of shared) benches.set(name, await nodes.openBench(`seed ${seed}`, 1 + (seed % 2)));
    expect(await findDifferenceOn(seed, together(benches), QUERIES)).toBeUndefined();
  }
});

test("dense integrals, whose parts stand for points", async () => {
  const benches = new Map<string, QueryBench>();
  for (const [name, nodes] of shared) benches.set(name, await nodes.openBench("integral"));
  expect(await findDifferenceInIntegral(together(benches))).toBeUndefined();
});

test("dense days of a counter, whose parts stand for points", async () => {
  const benches = new Map<string, QueryBench>();
  for (const [name, nodes] of shared) benches.set(name, await nodes.openBench("counter"));
  expect(await findDifferenceInCounter(together(benches))).toBeUndefined();
});
