import { mayPass } from "./errors.ts";
import type { ExecutionUpdate } from "./follow-execution.ts";
import { pause } from "./pause.ts";
import type { CommandResponse, Execution } from "./resources.ts";

/** An execution that has ended. A device's error is a state, not an exception. */
export type EndedExecution<Response = NonNullable<CommandResponse["payload"]>> = Omit<Execution, "state" | "response"> &
  (
    | {
        readonly state: "SUCCESS";
        readonly response: Omit<CommandResponse, "payload"> & { readonly payload?: Response };
      }
    | { readonly state: Exclude<Execution["state"], "SUCCESS">; readonly response?: CommandResponse }
  );

/** A command that was sent off: `for await (const { responses } of run)` reports what happens, until it has ended. */
export type CommandRun<Response = NonNullable<CommandResponse["payload"]>> = AsyncIterable<ExecutionUpdate> & {
  /** Known as soon as the server has stored the execution. */
  readonly id: Promise<string>;
  /** The execution when it has ended, whatever its end. */
  readonly end: () => Promise<EndedExecution<Response>>;
};

type Steps = {
  /** Called again with the same key when it is not known whether the call before has arrived. */
  readonly create: (idempotencyKey: string) => Promise<{ readonly execution_id: string }>;
  readonly follow: (id: string) => AsyncIterable<ExecutionUpdate>;
};

/** Starts at once. The idempotency key makes a repetition safe: the command runs once. */
export function runCommand<Response>(
  { create, follow }: Steps,
  {
    idempotencyKey = newKey(),
    signal,
  }: { readonly idempotencyKey?: string | undefined; readonly signal?: AbortSignal | undefined },
): CommandRun<Response> {
  const id = createOnce(() => create(idempotencyKey), signal);
  async function* updates(): AsyncGenerator<ExecutionUpdate> {
    yield* follow(await id);
  }
  return {
    id,
    [Symbol.asyncIterator]: updates,
    async end() {
      let last: Execution | undefined;
      for await (const { execution } of updates()) last = execution;
      if (last === undefined) throw new Error("an execution has at least one state");
      return last as EndedExecution<Response>;
    },
  };
}

const FIRST_PAUSE = 500;
const MAX_TRIES = 4;

async function createOnce(create: () => ReturnType<Steps["create"]>, signal: AbortSignal | undefined): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await create()).execution_id;
    } catch (error) {
      if (!mayPass(error) || tries === MAX_TRIES) throw error;
      await pause(FIRST_PAUSE * 2 ** (tries - 1), signal);
    }
  }
}

/** Pages that came over plain HTTP have no `randomUUID`. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
