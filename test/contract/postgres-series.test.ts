import { afterAll, afterEach, beforeAll, describe } from "vitest";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import { openSeries } from "#store/series/open-series.ts";
import { postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { emptyTelemetry } from "../support/postgres-telemetry.ts";
import { telemetryStoreContract } from "./telemetry-store-contract.ts";

const opened: TelemetryStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close().catch(() => {});
});

describe("telemetry on PostgreSQL, with its threads", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  telemetryStoreContract(async () => {
    const url = await server.prepared("series");
    await emptyTelemetry(url);
    const open = async () => {
      const store = await openSeries(postgresChunks(url), { graceMs: 0, maxHotPoints: 1e6, readers: 2 }, (error) => {
        throw error;
      });
      opened.push(store);
      return store;
    };
    let store = await open();
    return {
      store,
      async reopen() {
        await store.close();
        store = await open();
        return store;
      },
    };
  });
});
