// Counts executions in groups, and those that have ended by hours and days. All of it is sent without waiting: a group is
// found by its key and not by the answer of the statement that made it.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { type Execution, isOpen } from "#core/command/execution.ts";
import type { WriteDatabase } from "#store/database.ts";
import type { StoredExecution } from "#store/write-memory.ts";
import { SPANS } from "./execution-spans.ts";

/** The group that `groupKey` names. */
const GROUP_KEY = "device_id = ? AND name = ? AND manifest_name = ? AND state = ? AND ephemeral = ? AND read_level = ?";
export const FIND_GROUP = `SELECT id FROM execution_group WHERE ${GROUP_KEY}`;

/** How statements name a group: by its number, or by its key where the number is not known yet. */
interface InStatement {
  readonly sql: string;
  readonly values: readonly (string | number)[];
  readonly isKnown: boolean;
}

/**
 * How rows of the group's device are added, as a text that is made once. Where the number is not known, they are selected together with it, so that the
 * server which has the group adds them by itself.
 */
export function insertInto(table: string, columns: readonly string[], onConflict = ""): (group: InStatement) => string {
  const places = columns.map(() => "?").join(", ");
  const insert = (source: string) =>
    `INSERT INTO ${table} (${columns.join(", ")}, group_id, device_id) ${source}${onConflict}`;
  const known = insert(`VALUES (${places}, ?, ?)`);
  const found = insert(`SELECT ${places}, id, device_id FROM execution_group WHERE ${GROUP_KEY}`);
  return ({ isKnown }) => (isKnown ? known : found);
}

/** The values of `insertInto` behind those of its columns. */
export function groupValues({ values, isKnown }: InStatement, { deviceId }: Execution): readonly (string | number)[] {
  return isKnown ? [...values, deviceId] : values;
}

/** Adds to the counter of a group. */
const ADD_TO_TOTAL = "UPDATE execution_group SET total = total + ? WHERE id = ? AND device_id = ?";

/** Adds to the counter of a span. */
const COUNTERS = SPANS.map(({ table, column, ms }) => {
  const onConflict = ` ON CONFLICT (group_id, ${column}, device_id) DO UPDATE SET count = ${table}.count + excluded.count`;
  return { ms, insert: insertInto(table, ["count", column], onConflict) };
});

/** How a statement names the group of the execution, which exists. */
function groupIn(database: WriteDatabase, execution: Execution): InStatement {
  const known = database.memory?.findGroup(execution);
  return known === undefined ? { sql: `(${FIND_GROUP})`, values: groupKey(execution), isKnown: false } : byId(known);
}

/** The same, where its number is known. */
export const byId = (groupId: number): InStatement => ({ sql: "?", values: [groupId], isKnown: true });

export function groupKey({ deviceId, request, state, ephemeral, readLevel }: Execution): readonly (string | number)[] {
  return [deviceId, request.name, request.manifestName, state, ephemeral ? 1 : 0, ACCESS_LEVELS.indexOf(readLevel)];
}

/** Counts the execution in its group, which is made where there is none yet. Returns how a statement names the group. */
export function enterGroup(database: WriteDatabase, execution: Execution): InStatement {
  const known = database.memory?.findGroup(execution);
  if (known === undefined) {
    database.send(
      `INSERT INTO execution_group (site_id, device_id, name, manifest_name, state, ephemeral, read_level, total)
       VALUES (?, ?, ?, ?, ?, ?, ?, 1)
       ON CONFLICT (device_id, name, manifest_name, state, ephemeral, read_level) DO UPDATE SET total = execution_group.total + 1`,
      execution.siteId,
      ...groupKey(execution),
    );
  } else database.add(ADD_TO_TOTAL, 1, known, execution.deviceId);
  const group = known === undefined ? groupIn(database, execution) : byId(known);
  if (isOpen(execution.state)) return group;
  for (const { insert, ms } of COUNTERS) {
    database.add(insert(group), 1, Math.floor(execution.createdAt / ms), ...groupValues(group, execution));
  }
  return group;
}

export function leaveGroup(database: WriteDatabase, { execution, groupId }: StoredExecution): void {
  const { deviceId } = execution;
  database.add(ADD_TO_TOTAL, -1, groupId, deviceId);
  if (isOpen(execution.state)) return;
  // The row of a span is deleted when its count is 0, so the count has to be the one of now.
  database.memory?.release();
  for (const { table, column, ms } of SPANS) {
    const which = `group_id = ? AND ${column} = ? AND device_id = ?`;
    const span = [groupId, Math.floor(execution.createdAt / ms), deviceId] as const;
    database.send(`UPDATE ${table} SET count = count - 1 WHERE ${which}`, ...span);
    // Otherwise ephemeral executions would leave a row per command and hour behind for ever.
    database.send(`DELETE FROM ${table} WHERE ${which} AND count <= 0`, ...span);
  }
}
