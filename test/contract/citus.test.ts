// A database that Citus spreads over several servers keeps the contracts of a single one.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Citus, HAS_CITUS, startCitus } from "../support/citus.ts";
import { type StatementWatch, watchStatements } from "../support/explain-tasks.ts";
import { usePostgresRecords } from "../support/postgres-records.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { SCATTERED } from "../support/scattered-statements.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";
import { citusKillsContract } from "./citus-kills-contract.ts";
import { citusSpreadContract } from "./citus-spread-contract.ts";
import { executionChangesContract } from "./execution-changes-contract.ts";
import { executionCopiesContract } from "./execution-copies-contract.ts";
import { executionModelContract } from "./execution-model-contract.ts";
import { executionStoreContract } from "./execution-store-contract.ts";
import { expectCountersRight } from "./expect-counters.ts";
import { newDevice, recordStoreContract } from "./record-store-contract.ts";

sayIfWithoutCitus();

describe.runIf(HAS_CITUS)("records on Citus", () => {
  let cluster: Citus;
  const { emptied, rows, session } = usePostgresRecords(15, async () => {
    cluster = await startCitus();
    return cluster;
  });
  let watch: StatementWatch;
  beforeAll(() => {
    watch = watchStatements();
  });
  afterAll(() => watch.stop());
  if (IS_LONG) recordStoreContract(emptied);
  describe("executions", () => {
    const open = async () => {
      const stores = await emptied();
      return { executions: stores.executions, device: (siteId?: string) => newDevice(stores, siteId) };
    };
    executionStoreContract(open);
    executionChangesContract(open);
    if (!IS_LONG) return;
    executionModelContract(emptied, () => expectCountersRight(rows), roundsOf("random lives of executions, Citus"));
    executionCopiesContract(emptied);
  });

  test("a statement that names a device asks one server; those that ask all are known, with the reason", async () => {
    watch.stop();
    const { scattered, all } = await watch.explain(session());
    expect(all.length).toBeGreaterThan(20);
    expect(scattered.filter((text) => /\bdevice_id = \$\d/.test(text))).toEqual([]);
    expect(scattered.filter((text) => !SCATTERED.some(({ matches }) => matches.test(text)))).toEqual([]);
    if (!IS_LONG) return;
    expect(SCATTERED.filter(({ matches }) => !scattered.some((text) => matches.test(text)))).toEqual([]);
  });

  citusSpreadContract(() => cluster);
  citusKillsContract(() => cluster);
});
