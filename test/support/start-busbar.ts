import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../bin/busbar", import.meta.url));

export type RunningBusbar = {
  readonly url: string;
  /** Sends a signal and gives the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
};

/** Settings of whoever runs the tests must not reach the program under test. */
function cleanEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("BUSBAR_"))),
    ...more,
  };
}

/** `./bin/busbar serve` in `cwd` on a free port; resolves when it is ready. */
export async function startBusbar(cwd: string, ...flags: readonly string[]): Promise<RunningBusbar> {
  const child = spawn(PROGRAM, ["serve", "--port", "0", "--mqtt-port", "off", "--log-format", "json", ...flags], {
    cwd,
    env: cleanEnvironment({}),
    stdio: ["ignore", "ignore", "pipe"],
  });
  // Read to the end, so that a talkative service never waits for its reader.
  const log = createInterface({ input: child.stderr });
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    log.on("line", (line) => {
      lines.push(line);
      const { msg, url: address } = parseLogLine(line);
      if (msg === "ready" && address !== undefined) resolve(address);
    });
    child.on("error", reject);
    log.on("close", () => reject(new Error(`busbar serve ended before it was ready:\n${lines.join("\n")}`)));
  });
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  return { url, stop };
}

/** One call of `./bin/busbar` as a user makes it. */
export function callBusbar(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(PROGRAM, words, { cwd, env: cleanEnvironment(env) }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

function parseLogLine(line: string): { readonly msg?: string; readonly url?: string } {
  return line.startsWith("{") ? JSON.parse(line) : {};
}
