import { EXECUTION_STATES } from "#core/command/execution.ts";
import { deviceName } from "#core/device/slug.ts";
import type { Shares } from "#core/share/shares.ts";
import { cancelOperations, dryRunOperations } from "#service/command/cancel-operations.ts";
import { CREATE_HEADERS, EXECUTE_HEADERS, idempotencyKey, waitOf } from "#service/command/command-headers.ts";
import {
  commandInputSchema,
  executionSchema,
  parseCommandInput,
  renderExecution,
} from "#service/command/command-wire.ts";
import { type CreateNeeds, createExecution } from "#service/command/create-execution.ts";
import type { DryRunNeeds } from "#service/command/dry-run-command.ts";
import { executeCommand } from "#service/command/execute-command.ts";
import {
  type ExecutionQuery,
  listDeviceExecutions,
  listSiteExecutions,
  readExecution,
  readLog,
} from "#service/command/read-executions.ts";
import { LateAnswer } from "#service/operation/answer.ts";
import { callRefusal, openCallPlaces } from "#service/operation/call-places.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { choice, dateTime, list, listOf, type ParsedQuery, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Commands";
const expand = listOf("Adds the log of all responses.", ["log"]);
const answer = Type.Object({ execution: executionSchema }, { additionalProperties: false });
const listQuery = {
  ...paging,
  retention: choice("Only persistent executions unless said otherwise.", ["PERSISTENT", "EPHEMERAL", "ALL"]),
  order: choice("By creation; oldest first unless said otherwise.", ["CREATED_AT_ASC", "CREATED_AT_DESC"]),
  "created_at.gte": dateTime("Leaves out executions older than this."),
  "created_at.lt": dateTime("Leaves out this moment and what came after."),
  "name.in": list("Only these commands, by the sent name or the manifest name."),
  "state.in": listOf("Only these states.", EXECUTION_STATES),
};
const siteListQuery = {
  ...listQuery,
  "device_id.in": list("Only these devices, by id or slug."),
  "device.profiles.has_all": list("Only devices that implement all of these profiles."),
  "device.child_type.in": list("Only children of these types."),
  "device.parent_id.in": list("Only children of these devices, by id or slug."),
};

export interface CommandNeeds extends CreateNeeds, DryRunNeeds, Pick<Needs, "sites"> {
  /** The longest time that execute waits, in milliseconds. */
  readonly waitLimitMs: number;
  readonly shares: Pick<Shares, "open">;
}

const EXECUTES = { slots: 4_096, perToken: 512, perAddress: 1_024 };

export function commandOperations(needs: CommandNeeds): readonly Operation[] {
  const waiting = openCallPlaces(
    needs.shares,
    { name: "executes", refusal: callRefusal("calls of execute") },
    EXECUTES,
  );
  return [
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/commands/execute",
      name: "executeCommand",
      summary: "Execute a command",
      description:
        "Answers when the execution has ended, or with its state after 60 s, or sooner with the header Prefer: wait=N. " +
        "A call that waits longer than 2 s gets its headers then, and white space every 2 s before the JSON, so that " +
        "clients with a short read timeout stay. " +
        "An error of the device and a timeout are states, not failures of the call. The header Idempotency-Key makes a repetition safe.",
      tag,
      level: "readonly",
      query: { expand },
      headers: EXECUTE_HEADERS,
      body: commandInputSchema,
      answer,
      run: async (call) => {
        const withLog = call.query.expand?.includes("log") ?? false;
        const input = () =>
          parseCommandInput(call.body, {
            device: call.params.device_id,
            idempotencyKey: idempotencyKey(call),
            withLog,
          });
        const waitMs = Math.min(waitOf(call) ?? needs.waitLimitMs, needs.waitLimitMs);
        // Checked before anything is stored: a refused call has run nothing.
        const leave = waiting(call);
        const isStored = Promise.withResolvers<void>();
        const stored = () => {
          call.stored();
          isStored.resolve();
        };
        const run = async () => {
          try {
            const execution = await executeCommand(needs, call, { input, stored, waitMs, signal: call.signal() });
            const log = withLog ? await readLog(needs, execution.id, execution.deviceId) : undefined;
            return { execution: renderExecution(execution, log) };
          } finally {
            leave();
          }
        };
        const answer = run();
        // A refusal comes before the execution is stored, so it still has a status of its own.
        answer.then(() => isStored.resolve(), isStored.reject);
        await isStored.promise;
        return new LateAnswer(answer);
      },
    }),
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/commands/executions",
      name: "createCommandExecution",
      summary: "Create a command execution",
      description: "Answers at once. The header Idempotency-Key makes a repetition safe.",
      tag,
      level: "readonly",
      headers: CREATE_HEADERS,
      body: commandInputSchema,
      answer: Type.Object({ execution_id: Type.String() }, { additionalProperties: false }),
      run: async (call) => {
        const input = parseCommandInput(call.body, {
          device: call.params.device_id,
          idempotencyKey: idempotencyKey(call),
          withLog: false,
        });
        return { execution_id: (await createExecution(needs, call, input)).id };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/commands/executions/:execution_id",
      name: "getCommandExecution",
      summary: "Get a command execution",
      tag,
      level: "readonly",
      query: { expand },
      answer,
      run: async (call) => {
        const { device_id: device, execution_id: executionId } = call.params;
        const execution = await readExecution(needs, call, { device, executionId });
        const log = call.query.expand?.includes("log")
          ? await readLog(needs, execution.id, execution.deviceId)
          : undefined;
        return { execution: renderExecution(execution, log) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/commands/executions",
      name: "listCommandExecutions",
      summary: "List the command executions of a device",
      tag,
      level: "readonly",
      query: listQuery,
      answer: listAnswer("executions", executionSchema),
      run: async (call) => {
        const page = await listDeviceExecutions(needs, call, {
          device: call.params.device_id,
          query: parseListQuery(call.query),
        });
        return renderPage("executions", page, (execution) => renderExecution(execution));
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/commands/executions",
      name: "listSiteCommandExecutions",
      summary: "List the command executions of a site",
      tag,
      level: "readonly",
      query: siteListQuery,
      answer: listAnswer("executions", executionSchema),
      run: async (call) => {
        const page = await listSiteExecutions(needs, call, {
          siteId: call.params.site_id,
          query: {
            ...parseListQuery(call.query),
            devices: call.query["device_id.in"]?.map(deviceName),
            profiles: call.query["device.profiles.has_all"],
            childTypes: call.query["device.child_type.in"],
            parents: call.query["device.parent_id.in"]?.map(deviceName),
          },
        });
        return renderPage("executions", page, (execution) => renderExecution(execution));
      },
    }),
    ...cancelOperations(needs),
    ...dryRunOperations(needs),
  ];
}

function parseListQuery(query: ParsedQuery<typeof listQuery>): ExecutionQuery {
  return {
    filter: {
      names: query["name.in"],
      states: query["state.in"],
      retention: query.retention ?? "PERSISTENT",
      since: query["created_at.gte"],
      before: query["created_at.lt"],
      newestFirst: query.order === "CREATED_AT_DESC",
    },
    page: pageOf(query),
  };
}
