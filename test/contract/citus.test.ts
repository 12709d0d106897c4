// A database that Citus spreads over several servers keeps the contracts of a single one.
import { describe, expect, test } from "vitest";
import { HAS_CITUS, startCitus, WITHOUT_CITUS } from "../support/citus.ts";
import { usePostgresRecords } from "../support/postgres-records.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { executionChangesContract } from "./execution-changes-contract.ts";
import { executionCopiesContract } from "./execution-copies-contract.ts";
import { executionModelContract } from "./execution-model-contract.ts";
import { executionStoreContract } from "./execution-store-contract.ts";
import { expectCountersRight } from "./expect-counters.ts";
import { newDevice, recordStoreContract } from "./record-store-contract.ts";

if (!HAS_CITUS) {
  test(WITHOUT_CITUS, () => {
    console.log(`not run: ${WITHOUT_CITUS}`);
    expect(HAS_CITUS).toBe(false);
  });
}

describe.runIf(HAS_CITUS)("records on Citus", () => {
  const { emptied, rows } = usePostgresRecords(15, startCitus);
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
});
