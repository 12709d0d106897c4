import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { MOST_INTERLOCKS } from "#core/interlock/interlock.ts";
import type { InterlockReport } from "#core/interlock/interlock-report.ts";
import { interlockKey } from "#core/link/linked-key.ts";
import type { InterlockStore, NewInterlock, RememberedInterlock } from "#service/ports/interlock-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { interlockSums } from "./interlock-sums.ts";
import { marked } from "./link-marks.ts";
import { number } from "./row.ts";
import { requireOwnSite } from "./tariff-writes.ts";
import { NOBODY, write } from "./write.ts";

/** As it travels to the writing thread. */
interface SentInterlock extends Omit<NewInterlock, "devices"> {
  readonly devices: Readonly<Record<string, string>>;
}

interface SentMemory extends Pick<RememberedInterlock, "siteId" | "name" | "revision"> {
  /** JSON */
  readonly memory: string;
}

interface SentMemories {
  readonly memories: readonly SentMemory[];
  readonly at: number;
  readonly unsure: readonly Pick<NewInterlock, "siteId" | "name">[];
}

/** Parameters of a statement are limited. A gateway has fewer interlocks. */
const MOST_UNSURE = 500;

type Named = Pick<NewInterlock, "siteId" | "name" | "expected">;
type Reported = Parameters<InterlockStore["report"]>[0];

export const interlockWrites = {
  putInterlock: write({
    locks: ({ interlock }) => [`site ${interlock.siteId}`],
    informs: { cloud: ({ interlock }) => marked("interlock", interlockKey(interlock)), nodes: undefined },
    fromReserve: false,
    async run(database: WriteDatabase, { interlock, trail }: { interlock: SentInterlock; trail: AuditEntry }) {
      const { siteId, name, updatedAt, document, devices } = interlock;
      await requireOwnSite(database, siteId);
      const before = await requireExpected(database, interlock);
      if (before === 0) await requireRoom(database, siteId);
      await storeInterlock(database, { siteId, name, revision: before + 1, updatedAt, document, devices });
      await recordAudit(database, trail);
      return before + 1;
    },
  }),

  rememberInterlocks: write({
    locks: ["interlock memory"],
    informs: NOBODY,
    // A few bytes, again and again in the same place: without them a start would limit more than it has to.
    fromReserve: true,
    async run(database: WriteDatabase, { memories, at, unsure }: SentMemories) {
      for (const { siteId, name, revision, memory } of memories)
        await database.run(
          "UPDATE site_interlock SET memory = ? WHERE site_id = ? AND name = ? AND revision = ?",
          memory,
          siteId,
          name,
          revision,
        );
      const others = unsure.slice(0, MOST_UNSURE).map(() => "(?, ?)");
      const butThose = others.length === 0 ? "" : ` AND (site_id, name) NOT IN (VALUES ${others.join(", ")})`;
      const names = unsure.slice(0, MOST_UNSURE).flatMap(({ siteId, name }) => [siteId, name]);
      await database.run(`UPDATE site_interlock SET memory_at = ? WHERE memory IS NOT NULL${butThose}`, at, ...names);
    },
  }),

  deleteInterlock: write({
    locks: ({ named }) => [`site ${named.siteId}`],
    informs: { cloud: ({ named }) => marked("interlock", interlockKey(named)), nodes: undefined },
    fromReserve: true,
    async run(database: WriteDatabase, { named, trail }: { named: Named; trail: AuditEntry }) {
      await requireOwnSite(database, named.siteId);
      if ((await requireExpected(database, named)) === 0) return false;
      const sql = "DELETE FROM site_interlock WHERE site_id = ? AND name = ?";
      return await recordIfChanged(database, trail, await database.run(sql, named.siteId, named.name));
    },
  }),

  /** What it demands now. Nothing happens to one that was changed meanwhile. */
  reportInterlock: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: {
      cloud: (named: Reported, isStored: boolean) => (isStored ? marked("interlock", interlockKey(named)) : []),
      nodes: undefined,
    },
    fromReserve: true,
    async run(database: WriteDatabase, { siteId, name, revision, report }: Reported) {
      const sql = "UPDATE site_interlock SET report = ? WHERE site_id = ? AND name = ? AND revision = ?";
      return (await database.run(sql, JSON.stringify(report), siteId, name, revision)) > 0;
    },
  }),
};

interface StoredRow extends Omit<SentInterlock, "expected" | "document"> {
  readonly document: object | null;
  readonly revision: number;
  readonly report?: InterlockReport | undefined;
}

export async function storeInterlock(database: Database, row: StoredRow): Promise<void> {
  const { siteId, name, revision, updatedAt, report } = row;
  const [document, devices] = [JSON.stringify(row.document), JSON.stringify(row.devices)];
  await database.run(
    `INSERT INTO site_interlock (site_id, name, revision, updated_at, document, devices, report, checksums)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (site_id, name) DO UPDATE SET revision = excluded.revision, updated_at = excluded.updated_at,
     document = excluded.document, devices = excluded.devices, report = excluded.report, checksums = excluded.checksums,
     memory = NULL, memory_at = NULL`,
    siteId,
    name,
    revision,
    updatedAt,
    document,
    devices,
    report === undefined ? null : JSON.stringify(report),
    [revision, ...interlockSums({ siteId, name, document, devices })].join(" "),
  );
}

/** The revision that it has; 0: there is none. */
async function requireExpected(database: Database, { siteId, name, expected }: Named): Promise<number> {
  const row = await database.get("SELECT revision FROM site_interlock WHERE site_id = ? AND name = ?", siteId, name);
  const revision = row === undefined ? 0 : number(row, "revision");
  if (expected === undefined || expected === revision) return revision;
  const has = revision === 0 ? "there is none" : `it has revision ${revision}`;
  throw refuse("conflict", `the interlock was changed meanwhile: ${has}, not ${expected}; read it again`, { revision });
}

export async function requireRoom(database: Database, siteId: string): Promise<void> {
  const row = await database.one("SELECT count(*) AS total FROM site_interlock WHERE site_id = ?", siteId);
  if (number(row, "total") < MOST_INTERLOCKS) return;
  throw refuse("conflict", `the site has ${MOST_INTERLOCKS} interlocks already; remove some first`);
}
