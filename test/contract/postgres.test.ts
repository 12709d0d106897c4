// PostgreSQL keeps the contracts that SQLite keeps: the newest version all of them, an older one those of executions. The long
// run has all of them on each version.
import { describe } from "vitest";
import { NEWEST_POSTGRES, POSTGRES_VERSIONS } from "../support/postgres.ts";
import { usePostgresRecords } from "../support/postgres-records.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { damagedInterlockContract } from "./damaged-interlock-contract.ts";
import { executionChangesContract } from "./execution-changes-contract.ts";
import { executionCopiesContract } from "./execution-copies-contract.ts";
import { executionModelContract } from "./execution-model-contract.ts";
import { executionStoreContract } from "./execution-store-contract.ts";
import { expectCountersRight } from "./expect-counters.ts";
import { newDevice, recordStoreContract } from "./record-store-contract.ts";

describe.each(POSTGRES_VERSIONS)("records in PostgreSQL %i", (version) => {
  const { emptied, rows } = usePostgresRecords(version);
  const hasAll = IS_LONG || version === NEWEST_POSTGRES;
  if (hasAll) recordStoreContract(emptied);
  if (hasAll) describe("damaged interlocks", () => damagedInterlockContract(emptied, rows));

  describe("executions", () => {
    const open = async () => {
      const stores = await emptied();
      return { executions: stores.executions, device: (siteId?: string) => newDevice(stores, siteId) };
    };
    executionStoreContract(open);
    executionChangesContract(open);
    if (!hasAll) return;
    executionModelContract(
      emptied,
      () => expectCountersRight(rows),
      roundsOf("random lives of executions, PostgreSQL"),
    );
    executionCopiesContract(emptied);
  });
});
