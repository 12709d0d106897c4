import { DOORS } from "#core/access/door.ts";
import {
  type CommandResponse,
  EXECUTION_STATES,
  type Execution,
  type ExecutionCaller,
  type Micros,
  RESPONSE_STATES,
} from "#core/command/execution.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { ExecutionInput } from "#service/command/create-execution.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const anyObject = (description: string) => Type.Object({}, { additionalProperties: true, description });

export const commandInputSchema = strict("CommandInput", {
  name: Type.String({ minLength: 1, maxLength: 200, description: "Command name: the manifest's, or an alias." }),
  arguments: Type.Optional(anyObject("Argument name to value.")),
  ephemeral: Type.Optional(Type.Boolean({ description: "Hidden from lists by default, deleted after 24 hours." })),
});

const responseSchema = strict("CommandResponse", {
  state: oneOf(RESPONSE_STATES),
  payload: Type.Optional(anyObject("Depends on the state; an error has a text message.")),
  received_at: Type.String({
    format: "date-time",
    description: "With microseconds. It strictly rises within one execution.",
  }),
});

export const executionSchema = described("CommandExecution", "A run of a command.", {
  id: id("Execution identifier."),
  device_id: Type.String(),
  state: oneOf(EXECUTION_STATES),
  ephemeral: Type.Boolean(),
  created_at: timestamp,
  request: strict("CommandRequest", {
    name: Type.String({ description: "As sent." }),
    arguments: anyObject("Effective arguments, defaults filled in; sensitive ones read ***."),
    manifest_name: Type.String({ description: "As declared in the manifest." }),
  }),
  requested_by: Type.Optional(
    strict("ExecutionCaller", {
      token_id: Type.String({ description: "The token or the person; a rule is rule:ID." }),
      name: Type.String({ description: "As it was then." }),
      door: Type.Optional(oneOf(DOORS, { description: "How the call came, as in the audit log." })),
      schedule_id: Type.Optional(Type.String({ description: "The schedule that has called." })),
    }),
  ),
  bulk_id: Type.Optional(Type.String({ description: "The bulk command that it belongs to." })),
  response: Type.Optional(responseSchema),
  log: Type.Optional(Type.Array(responseSchema, { description: "All responses, newest first." })),
});

interface InputHead {
  readonly device: string;
  readonly idempotencyKey: string | undefined;
  readonly withLog: boolean;
}

export function parseCommandInput(body: Static<typeof commandInputSchema>, head: InputHead): ExecutionInput {
  return {
    ...head,
    name: body.name,
    arguments: (body.arguments ?? {}) as Readonly<Record<string, unknown>>,
    ephemeral: body.ephemeral ?? false,
  };
}

export function renderExecution(
  execution: Execution,
  log?: readonly CommandResponse[],
): Static<typeof executionSchema> {
  const { name, arguments: values, manifestName } = execution.request;
  return {
    id: execution.id,
    device_id: execution.deviceId,
    state: execution.state,
    ephemeral: execution.ephemeral,
    created_at: renderInstant(execution.createdAt),
    request: { name, arguments: values, manifest_name: manifestName },
    ...(execution.caller !== undefined && { requested_by: renderCaller(execution.caller) }),
    ...(execution.bulkId !== undefined && { bulk_id: execution.bulkId }),
    ...(execution.response !== undefined && { response: renderResponse(execution.response) }),
    ...(log !== undefined && { log: log.map(renderResponse) }),
  };
}

function renderCaller({ tokenId, name, scheduleId, door }: ExecutionCaller) {
  return {
    token_id: tokenId,
    name,
    ...(door !== undefined && { door }),
    ...(scheduleId !== undefined && { schedule_id: scheduleId }),
  };
}

function renderResponse({ state, payload, receivedAt }: CommandResponse): Static<typeof responseSchema> {
  return { state, ...(payload !== undefined && { payload }), received_at: renderMicros(receivedAt) };
}

/** RFC 3339 in UTC with microseconds. */
export function renderMicros(micros: Micros): string {
  const text = new Date(Math.floor(micros / 1000)).toISOString();
  return `${text.slice(0, -1)}${String(micros % 1000).padStart(3, "0")}Z`;
}
