import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe } from "vitest";
import { openRecords, type Records } from "#store/sqlite/open-records.ts";
import { auditStoreContract } from "./audit-store-contract.ts";
import { blueprintStoreContract } from "./blueprint-store-contract.ts";
import { deviceStoreContract } from "./device-store-contract.ts";
import { siteStoreContract } from "./site-store-contract.ts";
import { tokenStoreContract } from "./token-store-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "busbar-"));
let records: Records;

beforeAll(async () => {
  records = await openRecords(folder, (error) => {
    throw error;
  });
});

afterAll(async () => {
  await records.close();
  rmSync(folder, { recursive: true });
});

/** One set of records, emptied for each test: opening starts a thread, which takes longer than most tests. */
async function open() {
  const database = new DatabaseSync(join(folder, "records.db"));
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migration'").all();
  database.exec(`PRAGMA foreign_keys = OFF; ${tables.map(({ name }) => `DELETE FROM ${name};`).join(" ")}`);
  database.close();
  return { ...records, close: async () => {} };
}

describe("sites in SQLite", () => siteStoreContract(open));
describe("devices in SQLite", () => deviceStoreContract(open));
describe("blueprints in SQLite", () => blueprintStoreContract(open));
describe("tokens in SQLite", () => tokenStoreContract(open));
describe("the audit log in SQLite", () => auditStoreContract(open));
