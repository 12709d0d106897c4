import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import type { ExecutionStore } from "#service/ports/execution-store.ts";
import type { Connection } from "./connection.ts";
import { listExecutions } from "./execution-list.ts";
import { EXECUTION_COLUMNS, EXECUTION_FROM, findExecution, readOpenExecution, readResponse } from "./execution-row.ts";
import type { Writer } from "./writer.ts";

export function createExecutionStore(reader: Connection, writer: Writer): ExecutionStore {
  return {
    insert: async (input, trail) => {
      const earlier = await writer.run("insertExecution", { input, trail });
      return earlier === undefined ? { execution: input.execution, isNew: true } : { execution: earlier, isNew: false };
    },
    find: async (deviceId, id, now) => {
      const execution = findExecution(reader, id)?.execution;
      if (execution?.deviceId !== deviceId) return undefined;
      return execution.ephemeral && execution.createdAt + EPHEMERAL_LIFETIME_MS <= now ? undefined : execution;
    },
    responses: async (id) =>
      reader
        .all(
          "SELECT received_at, state, payload FROM execution_response WHERE execution_id = ? ORDER BY received_at DESC",
          id,
        )
        .map((row) => readResponse(row, "state", "payload")),
    list: async (filter, page) => listExecutions(reader, filter, page),
    markAttempted: (id) => writer.run("markAttempted", { id }),
    unmarkAttempted: (id) => writer.run("unmarkAttempted", { id }),
    record: (deviceId, id, arrival) => writer.run("recordResponse", { deviceId, id, arrival }),
    expire: (id, deadline) => writer.run("expireExecution", { id, deadline }),
    open: async (deviceId) => {
      const which = deviceId === undefined ? "" : " AND e.device_id = ?";
      const rows = reader.all(
        `SELECT ${EXECUTION_COLUMNS} FROM ${EXECUTION_FROM} WHERE e.is_open = 1${which} ORDER BY e.created_at, e.id`,
        ...(deviceId === undefined ? [] : [deviceId]),
      );
      return rows.map(readOpenExecution);
    },
    sweep: (now) => writer.run("sweepExecutions", { now }),
  };
}
