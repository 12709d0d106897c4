import { join } from "node:path";
import { afterEach, describe } from "vitest";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import { openSeries } from "#store/series/open-series.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { telemetryStoreContract } from "./telemetry-store-contract.ts";

const opened: TelemetryStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close().catch(() => {});
});

describe("telemetry in the embedded engine, with its threads", () =>
  telemetryStoreContract(async () => {
    const file = join(tempFolder(), "telemetry.db");
    const open = async () => {
      const store = await openSeries(file, { graceMs: 0, maxHotPoints: 1e6, readers: 2 }, (error) => {
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
  }));
