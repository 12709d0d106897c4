import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import { openSeries } from "#store/series/open-series.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";
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
      const store = await openSeries(sqliteChunks(file), { graceMs: 0, maxHotPoints: 1e6, readers: 2 }, (error) => {
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

test("sealing that fails is reported, and the points are still there", async () => {
  const file = join(tempFolder(), "telemetry.db");
  const trouble = Promise.withResolvers<Error>();
  const settings = { graceMs: 0, maxHotPoints: 1e6, readers: 1, onTrouble: trouble.resolve };
  const store = await openSeries(sqliteChunks(file), settings, (error) => {
    throw error;
  });
  opened.push(store);
  const other = new DatabaseSync(file);
  other.exec("ALTER TABLE latest RENAME TO away");
  await store.append([{ deviceId: "a", at: instant(0), values: new Map([["power", 1]]) }]);
  expect((await trouble.promise).message).toContain("no such table");
  other.exec("ALTER TABLE away RENAME TO latest");
  other.close();
  await store.settle(instant(1e9));
  expect(store.latest("a").get("power")).toEqual({ at: 0, value: 1 });
});
