import type { AuditEntry } from "#core/access/audit-entry.ts";
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import type { ProfileStoreLimits } from "#service/ports/profile-store.ts";
import type { Database, Row, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { isStoredProfile, parseStoredProfile, renderStoredProfile } from "./profile-row.ts";
import { number, text } from "./row.ts";
import { storedJson } from "./stored-json.ts";
import { write } from "./write.ts";

interface ProfileRow {
  readonly id: string;
  readonly isDraft: boolean;
  readonly content: string;
}

interface PutInput {
  readonly rows: readonly ProfileRow[];
  readonly limits: ProfileStoreLimits;
  readonly trail: AuditEntry;
}

export const profileWrites = {
  putProfiles: write({
    locks: ["profiles"],
    informs: { cloud: undefined, nodes: () => ({ kind: "profiles" }) },
    fromReserve: false,
    async run(database: WriteDatabase, { rows, limits, trail }: PutInput) {
      const changed: ProfileRow[] = [];
      const published: string[] = [];
      for (const row of rows) {
        const found = await database.get("SELECT id, is_draft, content FROM device_profile WHERE id = ?", row.id);
        if (found !== undefined && isSame(database, found, row)) continue;
        changed.push(row);
        if (found !== undefined && number(found, "is_draft") === 0) published.push(row.id);
      }
      refusePublished(published);
      if (changed.length > 0) await store(database, changed);
      await refuseAbove(database, limits);
      await recordAudit(database, trail);
      return changed.map(({ id }) => id);
    },
  }),
};

async function store(database: Database, rows: readonly ProfileRow[]): Promise<void> {
  const latest = await database.one("SELECT coalesce(max(revision), 0) AS revision FROM device_profile");
  const revision = number(latest, "revision") + 1;
  for (const { id, isDraft, content } of rows) {
    await database.run(
      `INSERT INTO device_profile (id, is_draft, content, revision) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET
         is_draft = excluded.is_draft, content = excluded.content, revision = excluded.revision`,
      id,
      isDraft ? 1 : 0,
      content,
      revision,
    );
  }
}

/** Read and rendered again: what an earlier version wrote may be spelt differently. Damage is replaced by anything. */
function isSame(database: Database, row: Row, { id, content }: ProfileRow): boolean {
  if (text(row, "content") === content) return true;
  const stored = storedJson({ database, table: "device_profile", row }, "content", isStoredProfile);
  return stored !== undefined && renderStoredProfile(parseStoredProfile(id, stored)) === content;
}

function refusePublished(ids: readonly string[]): void {
  const [first, ...others] = ids.map(
    (id): Refusal => ({
      code: "conflict",
      message: `the profile ${id} is published and never changes; give the new one another id that includes it`,
      details: { profile: id },
    }),
  );
  if (first !== undefined) throw new AppError([first, ...others]);
}

async function refuseAbove(database: Database, limits: ProfileStoreLimits): Promise<void> {
  const total = await database.one(
    "SELECT count(*) AS profiles, coalesce(sum(length(content)), 0) AS bytes FROM device_profile",
  );
  if (number(total, "profiles") > limits.profiles)
    throw refuse("conflict", `at most ${limits.profiles} uploaded profiles are kept`);
  if (number(total, "bytes") > limits.bytes)
    throw refuse("conflict", `uploaded profiles have at most ${limits.bytes} characters together`);
}
