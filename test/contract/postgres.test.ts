// PostgreSQL keeps the contracts that SQLite keeps.
import { describe } from "vitest";
import { POSTGRES_VERSIONS } from "../support/postgres.ts";
import { usePostgresRecords } from "../support/postgres-records.ts";
import { executionChangesContract } from "./execution-changes-contract.ts";
import { executionCopiesContract } from "./execution-copies-contract.ts";
import { executionModelContract } from "./execution-model-contract.ts";
import { executionStoreContract } from "./execution-store-contract.ts";
import { expectCountersRight } from "./expect-counters.ts";
import { newDevice, recordStoreContract } from "./record-store-contract.ts";

describe.each(POSTGRES_VERSIONS)("records in PostgreSQL %i", (version) => {
  const { emptied, rows } = usePostgresRecords(version);
  recordStoreContract(emptied);

  describe("executions", () => {
    const open = async () => {
      const stores = await emptied();
      return { executions: stores.executions, device: (siteId?: string) => newDevice(stores, siteId) };
    };
    executionStoreContract(open);
    executionChangesContract(open);
    executionModelContract(emptied, () => expectCountersRight(rows), 40);
    executionCopiesContract(emptied);
  });
});
