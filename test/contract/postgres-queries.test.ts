// Random points and queries on PostgreSQL, by one node and by two that take turns: cell by cell what a naive reference
// gives. The whole of them takes minutes, so it runs with BUSBAR_LONG=1; a part of them always runs.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POSTGRES_VERSIONS, type Postgres, startPostgres } from "../support/postgres.ts";
import { findDifferenceOn, QUERIES_PER_SEED } from "../support/series-bench.ts";
import { openSharedNodes, type SharedNodes } from "../support/shared-bench.ts";

const SEEDS = process.env["BUSBAR_LONG"] === "1" ? 2_500 : 25;

describe.each(POSTGRES_VERSIONS)("on PostgreSQL %i", (version) => {
  let server: Postgres;
  let nodes: SharedNodes;
  beforeAll(async () => {
    server = await startPostgres({ version });
  }, 60_000);
  afterAll(() => server.stop());

  test.each([1, 2])(
    `${SEEDS * QUERIES_PER_SEED} random queries, by %i node(s)`,
    async (count) => {
      nodes = await openSharedNodes(await server.database(`queries${count}`), count);
      try {
        for (let seed = 1; seed <= SEEDS; seed++) {
          expect(await findDifferenceOn(seed, await nodes.openBench(`seed ${seed}`))).toBeUndefined();
        }
      } finally {
        await nodes.close();
      }
    },
    7_200_000,
  );
});
