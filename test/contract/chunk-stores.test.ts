import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { chunkModule as postgresModule } from "#store/series/postgres/open-postgres-chunks.ts";
import { chunkModule } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { createMemoryChunks } from "../support/memory-chunks.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { emptyTelemetry } from "../support/postgres-telemetry.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { chunkStoreContract, type OpenedChunks } from "./chunk-store-contract.ts";

const onDamaged = () => {
  throw new Error("nothing is damaged");
};

let opened: OpenedChunks | undefined;
afterEach(() => close());

async function close(): Promise<void> {
  await opened?.reader.close();
  await opened?.store.close();
  opened = undefined;
}

/** `next` opens what was stored before. */
async function openFirst(next: () => Promise<OpenedChunks>) {
  opened = await next();
  const reopen = async () => {
    await close();
    opened = await next();
    return opened;
  };
  return { ...opened, reopen };
}

describe("chunks in SQLite", () =>
  chunkStoreContract(() => {
    const file = join(tempFolder(), "telemetry.db");
    return openFirst(async () => ({
      store: await chunkModule.openStore(file, { forgetDamaged: false, onDamaged }),
      reader: await chunkModule.openReader(file, "queries"),
    }));
  }));

describe("chunks in memory, with every answer a turn later", () =>
  chunkStoreContract(() => {
    const chunks = createMemoryChunks();
    return openFirst(async () => ({ store: chunks.openStore(), reader: chunks.openReader() }));
  }));

describe("chunks in PostgreSQL", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.stop());

  chunkStoreContract(async () => {
    const url = await server.database("chunks");
    await emptyTelemetry(url);
    return openFirst(async () => ({
      store: await postgresModule.openStore(url, { forgetDamaged: false, onDamaged }),
      reader: await postgresModule.openReader(url, "queries"),
    }));
  });
});
