import { afterAll, beforeAll, describe } from "vitest";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import { POSTGRES_VERSIONS, type Postgres, startPostgres } from "../support/postgres.ts";
import { newId } from "../support/records.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { recordLifetimeContract } from "./record-lifetime-contract.ts";

describe("records in SQLite", () =>
  recordLifetimeContract(async () => {
    const folder = tempFolder();
    const again = () =>
      openRecords(folder, (error) => {
        throw error;
      });
    return { records: await again(), again };
  }));

describe.each(POSTGRES_VERSIONS)("records in PostgreSQL %i", (version) => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres({ version });
  });
  afterAll(() => server.stop());
  recordLifetimeContract(async () => {
    const url = await server.prepared(`lifetime_${newId().replaceAll("-", "")}`);
    const again = () => openPostgresRecords(url, { allowLoss: true });
    return { records: await again(), again };
  });
});
