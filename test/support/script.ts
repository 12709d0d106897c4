// A process of its own that runs a few lines of code, for tests that kill it or want two at once.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface ScriptOptions {
  /** `process.argv[1]` and following. */
  readonly args?: readonly string[];
  readonly failpoint?: string;
  /** Limit on the size of a file, in bytes. */
  readonly maxFileSize?: number;
}

export interface Script {
  readonly child: ChildProcess;
  /** The next line it prints; rejects when it ends first. */
  line(): Promise<string>;
  say(line: string): void;
  /** How it ended: an exit code or the name of a signal. */
  readonly end: Promise<number | NodeJS.Signals>;
}

/** Runs module code that may import `#layer/...`. What is left of it when the test ends is killed. */
export function startScript(code: string, options: ScriptOptions = {}): Script {
  const words = [process.execPath, "-e", code, ...(options.args ?? [])];
  const limited = options.maxFileSize === undefined ? [] : ["prlimit", `--fsize=${options.maxFileSize}:unlimited`];
  const [program = "", ...args] = [...limited, ...words];
  const env = { ...process.env, BUSBAR_FAILPOINT: options.failpoint ?? "", NODE_OPTIONS: "" };
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaints = "";
  child.stderr.on("data", (data) => {
    complaints += String(data);
  });
  return {
    child,
    async line() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the script ended early: ${complaints}`);
      return value;
    },
    say: (line) => child.stdin.write(`${line}\n`),
    end: once(child, "close").then(([code, signal]) => code ?? signal),
  };
}
