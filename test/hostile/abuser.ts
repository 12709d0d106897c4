// The process that abuses, as its starter sees it.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Abuse, HostileSite } from "./abuse.ts";
import type { FromAbuser, ToAbuser } from "./abuser-process.ts";

const PROGRAM = fileURLToPath(new URL("abuser-process.ts", import.meta.url));
const START_MS = 60_000;
const STOP_MS = 10_000;

export interface Abuser {
  start(abuse: Abuse, site: HostileSite): Promise<void>;
  /** What it did and how it was answered, by how often. */
  stop(): Promise<Readonly<Record<string, number>>>;
  close(): void;
}

export async function startAbuser(): Promise<Abuser> {
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
  const send = (message: ToAbuser) => child.send(message);
  return {
    async start({ name }, site) {
      const started = answer("started", START_MS);
      send({ start: name, site });
      await started;
    },
    async stop() {
      const stopped = answer("stopped", STOP_MS);
      send("stop");
      const message = await stopped;
      return message.state === "stopped" ? message.counts : {};
    },
    close: () => void child.kill("SIGKILL"),
  };
}
