import { type ExecutionUpdate, followExecution } from "./follow-execution.ts";
import { listUnder } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers, CommandInput, Execution, ExecutionState } from "./resources.ts";
import { type CommandRun, runCommand } from "./run-command.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

type Signal = { readonly signal?: AbortSignal | undefined };
type Expand = { readonly expand?: readonly "log"[] | undefined };
/** A repetition with the same key and input answers with the same execution: nothing runs twice. */
export type Creation = Signal & { readonly idempotencyKey?: string | undefined };
type Waiting = Creation &
  Expand & {
    /** Whole seconds to wait for the end; without it the server's choice. */
    readonly wait?: number | undefined;
  };

export type ExecutionFilter = Window & {
  readonly retention?: "PERSISTENT" | "EPHEMERAL" | "ALL" | undefined;
  readonly order?: "CREATED_AT_ASC" | "CREATED_AT_DESC" | undefined;
  readonly "created_at.gte"?: string | undefined;
  readonly "created_at.lt"?: string | undefined;
  readonly "name.in"?: readonly string[] | undefined;
  readonly "state.in"?: readonly ExecutionState[] | undefined;
};

export type SiteExecutionFilter = ExecutionFilter & {
  readonly "device_id.in"?: readonly string[] | undefined;
  readonly "device.profiles.has_all"?: readonly string[] | undefined;
  readonly "device.child_type.in"?: readonly string[] | undefined;
  readonly "device.parent_id.in"?: readonly string[] | undefined;
};

type Answer = Answers["getCommandExecution"];

/** Wherever a device's id is taken, its slug will do. A device's error is a state of the execution, not an exception. */
export function commands(transport: Transport) {
  const { json } = transport;
  const of = (device: string, rest: string) => `/v3/devices/${segment(device)}/commands/${rest}`;
  const get = (device: string, id: string, { expand, signal }: Expand & Signal = {}) =>
    json<Answer>({ method: "GET", path: of(device, `executions/${segment(id)}`), query: { expand }, signal });

  /** Every change until the execution has ended, each response once. Survives lost connections and restarts. */
  const follow = (device: string, id: string, { signal }: Signal = {}): AsyncGenerator<ExecutionUpdate> =>
    followExecution(
      { transport, read: async () => (await get(device, id, { expand: ["log"], signal })).execution },
      { signal },
    );

  const create = (device: string, input: CommandInput, { idempotencyKey, signal }: Creation = {}) =>
    json<Answers["createCommandExecution"]>({
      method: "POST",
      path: of(device, "executions"),
      body: input,
      headers: { "Idempotency-Key": idempotencyKey },
      signal,
    });

  return {
    /** Sends the command off at once, and tells what becomes of it. A lost answer does not make it run twice. */
    run: (device: string, input: CommandInput, call: Creation = {}): CommandRun =>
      runCommand(
        {
          create: (idempotencyKey) => create(device, input, { ...call, idempotencyKey }),
          follow: (id) => follow(device, id, call),
        },
        call,
      ),
    /** Answers when the execution has ended, or with its state when the wait is over. */
    execute: (device: string, input: CommandInput, { expand, wait, idempotencyKey, signal }: Waiting = {}) =>
      json<Answers["executeCommand"]>({
        method: "POST",
        path: of(device, "execute"),
        query: { expand },
        body: input,
        headers: { Prefer: wait === undefined ? undefined : `wait=${wait}`, "Idempotency-Key": idempotencyKey },
        signal,
      }),
    /** Answers at once. */
    create,
    get,
    list: listUnder("executions", (device: string, filter: ExecutionFilter = {}) =>
      json<Answers["listCommandExecutions"]>({ method: "GET", path: of(device, "executions"), query: { ...filter } }),
    ),
    listBySite: listUnder("executions", (siteId: string, filter: SiteExecutionFilter = {}) =>
      json<Answers["listSiteCommandExecutions"]>({
        method: "GET",
        path: `/v3/sites/${segment(siteId)}/commands/executions`,
        query: { ...filter },
      }),
    ),
    follow,
    /** Resolves with the execution when it has ended, whatever its end. */
    wait: async (device: string, id: string, call: Signal = {}): Promise<Answer> => {
      let last: Execution | undefined;
      for await (const update of follow(device, id, call)) last = update.execution;
      return last === undefined ? get(device, id, call) : { execution: last };
    },
  };
}
