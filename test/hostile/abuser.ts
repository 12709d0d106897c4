// The processes that abuse, as their starter sees them.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Abuse, HostileSite } from "./abuse.ts";
import type { FromAbuser, ToAbuser } from "./abuser-process.ts";

const PROGRAM = fileURLToPath(new URL("abuser-process.ts", import.meta.url));
const START_MS = 60_000;
const STOP_MS = 10_000;

/** What was done and how it was answered, by how often. */
export type Counts = Readonly<Record<string, number>>;

/** One abuse at a time. */
export interface Abusers {
  /** Loads a process that waits for its abuse, unless there is one. */
  prepare(): Promise<void>;
  start(abuse: Abuse, site: HostileSite): Promise<void>;
  /** Resolves when something was done or answered. */
  acted(): Promise<void>;
  stop(): Promise<Counts>;
  /** Ends the process, also one that was not stopped. */
  close(): void;
}

/** Loading a process takes as long as a short abuse, so one that left nothing behind runs the next abuse too. */
export function createAbusers(): Abusers {
  let loaded: Promise<Process> | undefined;
  const ready = async () => {
    loaded ??= startProcess();
    try {
      return await loaded;
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  };
  const close = () => {
    loaded?.then(({ kill }) => kill()).catch(() => {});
    loaded = undefined;
  };
  return {
    prepare: async () => void (await ready()),
    async start({ name }, site) {
      await (await ready()).ask({ start: name, site }, "started", START_MS);
    },
    async acted() {
      await (await ready()).ask("act", "acted", START_MS);
    },
    async stop() {
      const answer = await (await ready()).ask("stop", "stopped", STOP_MS);
      if (answer.state !== "stopped") return {};
      if (!answer.isClean) close();
      return answer.counts;
    },
    close,
  };
}

interface Process {
  ask(message: ToAbuser, wanted: FromAbuser["state"], withinMs: number): Promise<FromAbuser>;
  kill(): void;
}

async function startProcess(): Promise<Process> {
  const child = fork(PROGRAM, {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const answer = async (wanted: FromAbuser["state"], withinMs: number): Promise<FromAbuser> => {
    const [message] = (await once(child, "message", { signal: AbortSignal.timeout(withinMs) })) as [FromAbuser];
    if (message.state === "failed") throw new Error(`the abuse could not begin: ${message.reason}`);
    if (message.state !== wanted) throw new Error(`the abuser is ${message.state}, expected: ${wanted}`);
    return message;
  };
  await answer("loaded", START_MS);
  return {
    async ask(message, wanted, withinMs) {
      const answered = answer(wanted, withinMs);
      child.send(message);
      return await answered;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
