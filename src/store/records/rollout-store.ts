import { noDevices, ROLLOUT_DEVICE_STATES } from "#core/rollout/rollout.ts";
import type { RolloutStore } from "#service/ports/rollout-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import {
  findRollout,
  IS_AWAY,
  parseRollout,
  parseRolloutDevice,
  ROLLOUT_COLUMNS,
  ROLLOUT_DEVICE_COLUMNS,
} from "./rollout-row.ts";
import { number, oneOf } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createRolloutStore(reader: ReadDatabase, writer: Writer, lists: Lists): RolloutStore {
  return {
    insert: (rollout, devices, trail) => writer.run("insertRollout", { rollout, devices, trail }),
    find: (id) => findRollout(reader, id),
    list: (page) =>
      lists.page(page, {
        columns: ROLLOUT_COLUMNS,
        from: "rollout",
        where: new Where(),
        order: "id DESC",
        read: parseRollout,
      }),
    running: async () => {
      const rows = await reader.all(`SELECT ${ROLLOUT_COLUMNS} FROM rollout WHERE state = 'RUNNING' ORDER BY id`);
      return rows.map((row) => parseRollout(row, reader));
    },
    turn: (id, turn, trail) => writer.run("turnRollout", { id, turn, trail }),
    beginStage: (id, stage, at) => writer.run("beginRolloutStage", { id, stage, at }),
    devices: (id, { states, stage, isAway }, page) => {
      const where = new Where().and("rollout_id = ?", id).andIn("state", states);
      if (stage !== undefined) where.and("stage = ?", stage);
      if (isAway !== undefined) where.and(isAway ? IS_AWAY : `NOT ${IS_AWAY}`);
      return lists.page(page, {
        columns: `${ROLLOUT_DEVICE_COLUMNS}, CASE WHEN ${IS_AWAY} THEN 1 ELSE 0 END AS is_away`,
        from: "rollout_device",
        where,
        range: new Where().and("rollout_id = ?", id),
        order: "stage, device_id",
        read: parseRolloutDevice,
      });
    },
    putDevices: (id, changes) => writer.run("putRolloutDevices", { id, changes }),
    counts: async (id, stage) => {
      const where = new Where().and("rollout_id = ?", id);
      if (stage !== undefined) where.and("stage = ?", stage);
      const rows = await reader.all(
        `SELECT state, count(*) AS count FROM rollout_device${where.sql} GROUP BY state`,
        ...where.values,
      );
      const counts = noDevices();
      for (const row of rows) counts[oneOf(row, "state", ROLLOUT_DEVICE_STATES)] = number(row, "count");
      return counts;
    },
  };
}
