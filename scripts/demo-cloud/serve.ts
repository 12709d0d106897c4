// `./bin/busbar serve` as a process, with its log in a file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../bin/busbar", import.meta.url));

const LAST_LINES = 5;

export interface Served {
  readonly url: string;
  /** Calls it as administrator; throws unless the answer is 200. */
  call<Answer>(method: "GET" | "POST", path: string, body?: object): Promise<Answer>;
  /** A link that signs in once. */
  signInLink(): Promise<string>;
  readonly isRunning: boolean;
  stop(): Promise<void>;
}

export interface ServeSettings {
  readonly token: string;
  readonly log: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when it is ready. */
export async function serve({ token, log, flags, env = {} }: ServeSettings): Promise<Served> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("BUSBAR_"));
  const child = spawn(PROGRAM, ["serve", "--log-format", "json", ...flags], {
    // Not of the terminal: a Ctrl-C there must not stop them all at once.
    detached: true,
    env: { ...Object.fromEntries(own), ...env, BUSBAR_ADMIN_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const file = createWriteStream(log);
  const url = await new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: child.stderr });
    const last: string[] = [];
    lines.on("line", (line) => {
      file.write(`${line}\n`);
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      const ready = /"url":"([^"]+)".*"msg":"ready"/.exec(line)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    // The file is deleted with all others when the start fails.
    lines.on("close", () => reject(new Error(["busbar serve has ended; it said:", ...last].join("\n  "))));
    child.on("error", reject);
  });
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: { "X-Service-Auth-Token": token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  };
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    url,
    call,
    signInLink: async () => `${url}/sign-in#code=${(await call<{ code: string }>("POST", "/v3/sessions/codes")).code}`,
    get isRunning() {
      return isRunning();
    },
    async stop() {
      if (!isRunning()) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
