// A newer node brings the schema of a shared database forward while a node of the version before goes on.
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { readMigrations } from "#store/migrations.ts";
import { clientConfig } from "#store/postgres/connect.ts";
import { migrate } from "#store/postgres/migrate.ts";
import { openNodeBus } from "#store/postgres/node-bus.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { openSeries } from "#store/series/open-series.ts";
import { postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import { asNew, makeExecution } from "../support/executions.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { readCsv } from "../support/read-csv.ts";
import { makeEntry, makeSite, NOON } from "../support/records.ts";
import { newDevice } from "./record-store-contract.ts";
import { ALL } from "./stores.ts";

const HOUR = 3_600_000;
/** Tables that a running node reads and writes all the time. */
const WIDENED = ["site", "device", "execution", "execution_response", "event", "audit", "telemetry_chunk"] as const;
const INITIAL = readMigrations(new URL("../../src/store/postgres/migrations/", import.meta.url));
/** What a release may do while nodes of the version before run: it adds, and takes nothing away. */
const EXPAND = {
  number: INITIAL.length + 1,
  name: `${String(INITIAL.length + 1).padStart(4, "0")}-test.sql`,
  sql: `
    ${WIDENED.map((table) => `ALTER TABLE ${table} ADD COLUMN added bigint NOT NULL DEFAULT 7;`).join("\n")}
    CREATE TABLE site_note (site_id text COLLATE "C" PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE, note text NOT NULL);
    INSERT INTO site_note SELECT id, name FROM site;
    CREATE INDEX site_by_name ON site (name);`,
  digest: "expand",
};

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres({ fsync: true });
});
afterAll(() => server.stop());

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(url));
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test("a migration that adds is applied once by several newer nodes, while an older node loses nothing and goes on", async () => {
  const url = await server.prepared("upgraded");
  const older = await openPostgresRecords(url);
  onTestFinished(() => older.close());
  const telemetry = await openSeries(postgresChunks(url), { graceMs: 0, maxHotPoints: 1e6, readers: 1 }, (error) => {
    throw error;
  });
  onTestFinished(() => telemetry.close());
  const before = makeSite({ name: "Before" });
  await older.sites.insert(before, makeEntry());
  const place = await newDevice(older);
  const first = makeExecution(place);
  await older.executions.insert(asNew(first), makeEntry());

  const made: string[] = [];
  const work = async () => {
    const [at, site] = [made.length, makeSite()];
    await older.sites.insert(site, makeEntry());
    await telemetry.append([{ deviceId: place.deviceId, at: instant(at * 1_000), values: new Map([["power", at]]) }]);
    made.push(site.id);
  };
  await work();
  let isUpgraded = false;
  const upgrade = Promise.allSettled(
    [await connect(url), await connect(url)].map((client) => migrate(client, [...INITIAL, EXPAND])),
  ).finally(() => {
    isUpgraded = true;
  });
  while (!isUpgraded) await work();
  expect((await upgrade).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  for (let more = 0; more < 20; more++) await work();

  const { items: sites } = await older.sites.list("all", ALL);
  expect(new Set(sites.map(({ id }) => id))).toEqual(new Set([before.id, place.siteId, ...made]));
  const second = makeExecution(place);
  await older.executions.insert(asNew(second), makeEntry());
  const open = async (id: string) => (await older.executions.find(place.deviceId, id, NOON))?.state;
  expect([await open(first.id), await open(second.id)]).toEqual(["NEW", "NEW"]);
  const item = { attribute: "power", kind: "number", aggregation: "last", lookAroundMs: undefined } as const;
  const asked = {
    requester: "test",
    from: instant(0),
    to: instant(HOUR),
    items: [{ deviceId: place.deviceId, granularityMs: 1_000, ...item }],
  };
  expect(await readCsv(telemetry, asked)).toBe(made.map((_, at) => `${at},${at}\n`).join(""));

  const session = await connect(url);
  const { rows: marks } = await session.query("SELECT name FROM migration ORDER BY number");
  expect(marks.map(({ name }) => name)).toEqual([...INITIAL, EXPAND].map(({ name }) => name));
  const { rows: notes } = await session.query("SELECT note FROM site_note WHERE site_id = $1", [before.id]);
  expect(notes).toEqual([{ note: "Before" }]);
  const { rows: added } = await session.query("SELECT DISTINCT added FROM execution");
  expect(added).toEqual([{ added: 7 }]);
  // A node of the version before may end and start again until it is upgraded.
  const again = await openPostgresRecords(url);
  expect((await again.sites.find(before.id))?.name).toBe("Before");
  await again.close();
});

const CONTRACT = {
  number: EXPAND.number + 1,
  name: `${String(EXPAND.number + 1).padStart(4, "0")}-less.sql`,
  sql: "ALTER TABLE site DROP COLUMN added",
  digest: "contract",
  needs: EXPAND.number,
};

test("what an older node uses is not taken away while it runs, and afterwards the older node is refused", async () => {
  const url = await server.prepared("contracted");
  const older = await openPostgresRecords(url);
  onTestFinished(() => older.close());
  await expect.poll(() => older.nodes.isCurrent()).toBe(true);
  const newer = [...INITIAL, EXPAND, CONTRACT];
  const columns = async () => {
    const session = await connect(url);
    const sql = "SELECT 1 FROM information_schema.columns WHERE table_name = 'site' AND column_name = 'added'";
    return (await session.query(sql)).rowCount;
  };
  await expect(migrate(await connect(url), newer)).rejects.toThrow(
    `migration ${CONTRACT.name} takes away what nodes of an older version use, and 1 of them run on the database (the oldest ` +
      `knows migrations up to ${INITIAL.length}, and ${EXPAND.number} is needed). Upgrade or stop them first; nothing was changed`,
  );
  expect(await columns(), "it was added, and is still there").toBe(1);
  await older.sites.insert(makeSite(), makeEntry());
  await older.close();
  await migrate(await connect(url), newer);
  expect(await columns()).toBe(0);
  await expect(openPostgresRecords(url)).rejects.toThrow("the records were last used by a newer Busbar");
});

test("a node that was cut off while others took something away does not come back to the database", async () => {
  const url = await server.prepared("cut-off");
  const newer = [...INITIAL, EXPAND, CONTRACT];
  const lost: string[] = [];
  const opened = await connect(url);
  await migrate(opened, newer);
  const bus = openNodeBus({ url, onEvents: () => {}, onLost: ({ message }) => void lost.push(message) });
  onTestFinished(() => bus.close());
  await expect
    .poll(() => lost)
    .toContain(
      `a node that knows migrations up to ${INITIAL.length} is too old for the database, which needs nodes that know ` +
        `${EXPAND.number}: upgrade this node`,
    );
  expect(bus.isCurrent()).toBe(false);
  expect(await bus.claim("anything")).toBeUndefined();
});
