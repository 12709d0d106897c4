// Notes which records a write has changed, so that a gateway can report them to its cloud.
import type { LinkedKey, LinkedKind } from "#core/link/linked-key.ts";
import type { WriteDatabase } from "#store/database.ts";

export const marked = (kind: LinkedKind, key: string): readonly LinkedKey[] => [{ kind, key }];

export const HAS_CLOUD = "SELECT 1 AS found FROM uplink";

/** In the transaction of the change. Without a cloud nothing is noted. */
export async function note(database: WriteDatabase, keys: readonly LinkedKey[]): Promise<void> {
  if (keys.length === 0 || !(await database.hasCloud())) return;
  for (const { kind, key } of keys) {
    database.send(
      `INSERT INTO link_change (kind, key, changed) VALUES (?, ?, ?)
       ON CONFLICT (kind, key) DO UPDATE SET changed = excluded.changed`,
      kind,
      key,
      await database.nextChange(),
    );
  }
}
