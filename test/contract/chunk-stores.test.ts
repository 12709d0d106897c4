import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { chunkModule as postgresModule } from "#store/series/postgres/open-postgres-chunks.ts";
import { partitionOf, type SharedStore } from "#store/series/shared-store.ts";
import { chunkModule } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { createMemoryChunks } from "../support/memory-chunks.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { emptyTelemetry } from "../support/postgres-telemetry.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type CommonStore, chunkStoreContract, journalContract, type OpenedChunks } from "./chunk-store-contract.ts";

const onDamaged = () => {
  throw new Error("nothing is damaged");
};

let opened: (Pick<OpenedChunks, "reader"> & { readonly store: Pick<CommonStore, "close"> }) | undefined;
afterEach(() => close());

async function close(): Promise<void> {
  await opened?.reader.close();
  await opened?.store.close();
  opened = undefined;
}

/** `next` opens what was stored before. */
async function openFirst<Store extends CommonStore>(next: () => Promise<OpenedChunks<Store>>) {
  const first = await next();
  opened = first;
  const reopen = async () => {
    await close();
    const again = await next();
    opened = again;
    return again;
  };
  return { ...first, reopen };
}

describe("chunks in SQLite", () => {
  const open = () => {
    const file = join(tempFolder(), "telemetry.db");
    return openFirst(async () => ({
      store: await chunkModule.openStore(file, { forgetDamaged: false, onDamaged }),
      reader: await chunkModule.openReader(file, "queries"),
    }));
  };
  chunkStoreContract(open);
  journalContract(open);
});

describe("chunks in memory, with every answer a turn later", () => {
  const open = () => {
    const chunks = createMemoryChunks();
    return openFirst(async () => ({ store: chunks.openStore(), reader: chunks.openReader() }));
  };
  chunkStoreContract(open);
  journalContract(open);
});

describe("chunks in PostgreSQL", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  chunkStoreContract(async () => {
    const url = await server.prepared("chunks");
    await emptyTelemetry(url);
    // The numbers that the contract gives its devices.
    const session = await server.session("chunks");
    await session.query("INSERT INTO telemetry_device (id, device_id) VALUES (1, 'a'), (2, 'b')");
    await session.end();
    return openFirst(async () => ({
      store: commonStore(await postgresModule.openShared(url, { forgetDamaged: false, onDamaged })),
      reader: await postgresModule.openReader(url, "queries"),
    }));
  });
});

/** A shared store in terms of a store of one process. The journal of a shared one has tests of its own. */
function commonStore(shared: SharedStore): CommonStore {
  const ids = ["a", "b"];
  return {
    ...shared,
    definitions: () => shared.seriesOf(ids),
    async latest(onDamaged) {
      const devices = new Set((await shared.seriesOf(ids)).map(({ device }) => device));
      return (await Promise.all([...devices].map((device) => shared.latest(device, onDamaged)))).flat();
    },
    async commit({ definitions = [], deletedDevice, deletedSegments = [], segments = [], latest = [] }) {
      for (const one of definitions) await shared.define([one]);
      const known = await shared.seriesOf(ids);
      const deviceOf = (series: number) => known.find((one) => one.series === series)?.device ?? 0;
      const values = latest.map((one) => ({ ...one, device: deviceOf(one.series) }));
      const of = (device: number) => ({
        ...(deletedDevice === device && { deletedDevice }),
        deletedSegments: deletedSegments.filter((one) => one.device === device),
        segments: segments.filter(({ segment }) => segment.device === device),
        latest: { values: values.filter((one) => one.device === device), now: 0 },
      });
      for (const device of [1, 2]) await shared.commit(partitionOf(device), undefined, of(device));
      return [];
    },
    dayToCompact: (before) => shared.dayToCompact(before, [partitionOf(1), partitionOf(2)]),
  };
}
