import { type ExecutionUpdate, followExecution } from "./follow-execution.ts";
import { listUnder } from "./list-of.ts";
import type { Answers, CommandInput, Execution, Queries } from "./resources.ts";
import { type CommandRun, runCommand } from "./run-command.ts";
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

type Answer = Answers["getCommandExecution"];

/** Wherever a device's id is taken, its slug will do. A device's error is a state of the execution, not an exception. */
export function commands(transport: Transport) {
  const { perform } = transport;
  const of = (device_id: string) => ({ params: { device_id } });
  const get = (device_id: string, execution_id: string, { expand, signal }: Expand & Signal = {}) =>
    perform("getCommandExecution", { params: { device_id, execution_id }, query: { expand }, signal });

  /** Every change until the execution has ended, each response once. Survives lost connections and restarts. */
  const follow = (device: string, id: string, { signal }: Signal = {}): AsyncGenerator<ExecutionUpdate> =>
    followExecution(
      { transport, read: async () => (await get(device, id, { expand: ["log"], signal })).execution },
      { signal },
    );

  const create = (device: string, input: CommandInput, { idempotencyKey, signal }: Creation = {}) =>
    perform("createCommandExecution", {
      ...of(device),
      body: input,
      headers: { "Idempotency-Key": idempotencyKey },
      signal,
    });

  return {
    /** Sends the command off at once, and reports what becomes of it. A lost answer does not make it run twice. */
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
      perform("executeCommand", {
        ...of(device),
        query: { expand },
        body: input,
        headers: { Prefer: wait === undefined ? undefined : `wait=${wait}`, "Idempotency-Key": idempotencyKey },
        signal,
      }),
    /** Answers at once. */
    create,
    get,
    list: listUnder("executions", (device: string, query: Queries["listCommandExecutions"] = {}) =>
      perform("listCommandExecutions", { ...of(device), query }),
    ),
    listBySite: listUnder("executions", (site_id: string, query: Queries["listSiteCommandExecutions"] = {}) =>
      perform("listSiteCommandExecutions", { params: { site_id }, query }),
    ),
    follow,
    /** What an execution would be now. Nothing is run. */
    dryRun: (device: string, input: CommandInput) => perform("dryRunCommand", { ...of(device), body: input }),
    /** One that waits ends at once. Of one that has begun, the device is asked, if its blueprint says how. */
    cancel: (device_id: string, execution_id: string) =>
      perform("cancelCommandExecution", { params: { device_id, execution_id } }),
    /** Resolves with the execution when it has ended, whatever its end. */
    wait: async (device: string, id: string, call: Signal = {}): Promise<Answer> => {
      let last: Execution | undefined;
      for await (const update of follow(device, id, call)) last = update.execution;
      return last === undefined ? get(device, id, call) : { execution: last };
    },
  };
}
