// Fills the records of a stopped gateway with executions: the rows that as many inserts and responses would have left, in one go.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { ExecutionState } from "#core/command/execution.ts";
import { randomFrom } from "../../test/support/random.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LEVELS = { readonly: 0, user: 1, owner: 2 };

/** Sent name, manifest name, read level, share. */
const COMMANDS = [
  ["read_status", "read_status", "readonly", 0.5],
  ["set_power", "set_power", "user", 0.2],
  ["set_power_limit", "set_power", "user", 0.1],
  ["start", "start", "user", 0.08],
  ["stop", "stop", "user", 0.08],
  ["write_configuration", "write_configuration", "owner", 0.03],
  ["reboot", "reboot", "owner", 0.0099],
  ["factory_reset", "factory_reset", "owner", 0.0001],
] as const;
const OPEN_SHARE = 0.0002;
const ENDS: readonly (readonly [ExecutionState, number])[] = [
  ["SUCCESS", 0.93],
  ["ERROR", 0.04],
  ["TIMEOUT", 0.03],
];

interface Filling {
  readonly siteId: string;
  readonly deviceIds: readonly string[];
  readonly count: number;
  /** The time over which they are spread, until now. */
  readonly days: number;
  readonly now: number;
  /** Whether some of them have not ended. */
  readonly withOpen: boolean;
}

interface Group {
  readonly id: number;
  readonly row: readonly (string | number)[];
  readonly hours: Map<number, number>;
  readonly isOpen: boolean;
}

export function fillExecutions(file: string, filling: Filling): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -200000; BEGIN");
  const insert = database.prepare(
    `INSERT INTO execution (id, group_id, site_id, device_id, created_at, arguments, sealed, attempted, is_open, deadline,
       response_state, response_payload, received_at) VALUES (?, ?, ?, ?, ?, ?, NULL, 1, ?, ?, ?, ?, ?)`,
  );
  const groups = new Map<string, Group>();
  const random = randomFrom(7);
  for (let n = 0; n < filling.count; n++) insertExecution(insert, groups, { n, random, ...filling });
  insertGroups(database, groups.values());
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

interface One extends Filling {
  readonly n: number;
  readonly random: () => number;
}

function insertExecution(insert: StatementSync, groups: Map<string, Group>, one: One): void {
  const { n, random, siteId, deviceIds } = one;
  const age = (1 - n / one.count) * one.days * DAY;
  const createdAt = Math.floor(one.now - age);
  const deviceId = deviceIds[Math.floor(random() ** 2 * deviceIds.length)] ?? "";
  const [name, manifestName, level] = pick(random, COMMANDS, (command) => command[3]);
  const isOpen = one.withOpen && random() < OPEN_SHARE;
  const [state] = isOpen ? [random() < 0.5 ? "NEW" : "IN_PROGRESS"] : pick(random, ENDS, (end) => end[1]);
  const ephemeral = age < DAY && random() < 0.3 ? 1 : 0;
  const row = [siteId, deviceId, name, manifestName, state, ephemeral, LEVELS[level]] as const;
  const key = row.join();
  const group = groups.get(key) ?? { id: groups.size + 1, row, hours: new Map<number, number>(), isOpen };
  groups.set(key, group);
  const hour = Math.floor(createdAt / HOUR);
  group.hours.set(hour, (group.hours.get(hour) ?? 0) + 1);
  const answer = state === "SUCCESS" ? '{"power":12.5,"mode":"auto"}' : state === "ERROR" ? '{"message":"busy"}' : null;
  const response = state === "NEW" ? null : state === "SUCCESS" ? "SUCCEEDED" : state === "ERROR" ? "ERROR" : "STARTED";
  const times = [isOpen ? 1 : 0, createdAt + 30_000] as const;
  const who = [executionId(createdAt, n), group.id, siteId, deviceId, createdAt] as const;
  insert.run(...who, '{"power":12.5}', ...times, response, answer, createdAt * 1000);
}

function insertGroups(database: DatabaseSync, groups: Iterable<Group>): void {
  const insertGroup = database.prepare("INSERT INTO execution_group VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const insertHour = database.prepare(
    "INSERT INTO execution_hour (group_id, hour, count, device_id) VALUES (?, ?, ?, ?)",
  );
  for (const { id, row, hours, isOpen } of groups) {
    insertGroup.run(
      id,
      ...row,
      [...hours.values()].reduce((sum, count) => sum + count, 0),
    );
    if (!isOpen) for (const [hour, count] of hours) insertHour.run(id, hour, count, row[1] ?? "");
  }
  database.exec(
    "INSERT INTO execution_day SELECT group_id, hour / 24, sum(count), device_id FROM execution_hour GROUP BY 1, 2, 4",
  );
}

function pick<Item>(random: () => number, weighted: readonly Item[], share: (item: Item) => number): Item {
  let left = random();
  for (const item of weighted) {
    left -= share(item);
    if (left < 0) return item;
  }
  return weighted[0] as Item;
}

/** The id of an execution of that time, the n-th. */
function executionId(ms: number, n: number): string {
  const time = ms.toString(16).padStart(12, "0");
  const tail = (n * 2_654_435_761 + 1).toString(16).padStart(15, "0").slice(-15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail.slice(6)}000`;
}
