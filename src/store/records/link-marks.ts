// Notes which records a write has changed, so that a gateway can tell its cloud. Every write has an entry, so that no
// change is forgotten.
import type { LinkedKey, LinkedKind } from "#core/link/linked-key.ts";
import type { WriteDatabase } from "#store/database.ts";

// biome-ignore lint/suspicious/noExplicitAny: each write has an input and a result of its own
type AnyWrite = (database: any, input: any) => Promise<unknown>;
type WritesByName = Readonly<Record<string, AnyWrite>>;

/** The records that a write has changed, by its input and result. Undefined: none that a cloud has a copy of. */
export type Marks<Writes extends WritesByName> = {
  readonly [Name in keyof Writes]:
    | ((input: Parameters<Writes[Name]>[1], result: Awaited<ReturnType<Writes[Name]>>) => readonly LinkedKey[])
    | undefined;
};

export const marked = (kind: LinkedKind, key: string): readonly LinkedKey[] => [{ kind, key }];

/** The same writes; each also notes what it has changed, in its transaction. */
export function withMarks<Writes extends WritesByName>(writes: Writes, marks: Marks<Writes>): Writes {
  const wrap = (name: string, write: AnyWrite): AnyWrite => {
    const changedBy = marks[name];
    if (changedBy === undefined) return write;
    return async (database: WriteDatabase, input) => {
      const result = await write(database, input);
      await note(database, changedBy(input, result as never));
      return result;
    };
  };
  return Object.fromEntries(Object.entries(writes).map(([name, write]) => [name, wrap(name, write)])) as Writes;
}

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
