import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../bin/busbar", import.meta.url));

export type RunningBusbar = {
  readonly url: string;
  readonly pid: number;
  readonly isRunning: () => boolean;
  /** Every line that it has logged so far. */
  readonly log: readonly string[];
  /** Sends a signal and gives the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
};

/** The tester's own settings must not reach the program under test. */
function cleanEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("BUSBAR_"))),
    ...more,
  };
}

/** `./bin/busbar serve` in `cwd` on a free port; resolves when it is ready. */
export function startBusbar(cwd: string, ...flags: readonly string[]): Promise<RunningBusbar> {
  return startBusbarOf(PROGRAM, cwd, flags);
}

/** As `startBusbar`, with the program of another checkout. */
export async function startBusbarOf(program: string, cwd: string, flags: readonly string[]): Promise<RunningBusbar> {
  const port = flags.includes("--port") ? [] : ["--port", "0"];
  const mqtt = flags.includes("--mqtt-port") ? [] : ["--mqtt-port", "off"];
  const child = spawn(program, ["serve", ...port, ...mqtt, "--log-format", "json", ...flags], {
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
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    if (isRunning()) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  return { url, pid: child.pid ?? 0, isRunning, log: lines, stop };
}

/** One call of `./bin/busbar` as a user makes it. */
export function callBusbar(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(PROGRAM, words, { cwd, env: cleanEnvironment(env) }, (error, out, err) => {
      // Killed by a signal: no code at all.
      resolve({ code: error === null ? 0 : Number(error.code ?? Number.NaN), out, err });
    });
  });
}

export type GoingBusbar = {
  /** Resolves with everything written to stdout or stderr so far, once that fits. */
  readonly until: (stream: "out" | "err", pattern: RegExp) => Promise<string>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
};

/** A call of `./bin/busbar` that goes on while the test does. */
export function goBusbar(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): GoingBusbar {
  const child = spawn(PROGRAM, words, { cwd, env: cleanEnvironment(env), stdio: ["ignore", "pipe", "pipe"] });
  const written = { out: "", err: "" };
  const checks = new Set<() => void>();
  const take = (stream: "out" | "err") => (text: string) => {
    written[stream] += text;
    for (const check of checks) check();
  };
  child.stdout.setEncoding("utf8").on("data", take("out"));
  child.stderr.setEncoding("utf8").on("data", take("err"));
  const ended = once(child, "close").then(() => ({ code: child.exitCode, ...written }));
  return {
    until: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(written[stream])) return;
          checks.delete(check);
          resolve(written[stream]);
        };
        checks.add(check);
        check();
        void ended.then(({ out, err }) => reject(new Error(`it ended without ${pattern}:\n${out}\n${err}`)));
      }),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

function parseLogLine(line: string): { readonly msg?: string; readonly url?: string } {
  return line.startsWith("{") ? JSON.parse(line) : {};
}
