// Child processes and a plain HTTP client: the same client for every engine.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The body of the answer; throws unless the status is 2xx. */
export function http(url: string, { method = "GET", headers = {}, body }: Call = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const call = request(url, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => {
        const text = Buffer.concat(parts).toString();
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve(text);
        else reject(new Error(`${url.slice(0, 200)} answered ${status}: ${text.slice(0, 500)}`));
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

export interface Child {
  readonly process: ChildProcess;
  /** Everything that it has written so far, the last 64 KiB. */
  readonly output: () => string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export function run(program: string, args: readonly string[], options: SpawnOptions = {}): Child {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], ...options });
  let output = "";
  const keep = (part: Buffer) => {
    output = (output + part.toString()).slice(-65_536);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  child.on("error", (error) => keep(Buffer.from(String(error))));
  return {
    process: child,
    output: () => output,
    async stop(signal = "SIGTERM") {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
  };
}

/** Runs to its end; gives what it wrote to stdout. */
export async function finish(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], ...options });
  let output = "";
  child.stdout?.on("data", (part: Buffer) => {
    output += part.toString();
  });
  const [code, signal] = await once(child, "close");
  if (code !== 0 && signal !== "SIGKILL")
    throw new Error(`${program} ${args.join(" ").slice(0, 200)} ended with ${code}`);
  return output;
}

/** Waits until `check` gives something; throws when the process ends or a minute has passed. */
export async function until<Result>(child: Child, check: () => Promise<Result | undefined>): Promise<Result> {
  const limit = performance.now() + 60_000;
  while (performance.now() < limit && child.process.exitCode === null) {
    const result = await check().catch(() => undefined);
    if (result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`a server did not get ready: ${child.output().slice(-2_000)}`);
}

/** Resident memory of a process and all its children. */
export function residentBytes(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return status(pid, "VmRSS") + children.reduce((sum, child) => sum + residentBytes(Number(child)), 0);
}

/** The most memory that a process has had. */
export const peakBytes = (pid: number | undefined): number => (pid === undefined ? 0 : status(pid, "VmHWM"));

function status(pid: number, name: string): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
}

export function folderBytes(folder: string): number {
  return Number(spawnSync("du", ["-sb", folder], { encoding: "utf8" }).stdout.split("\t")[0]);
}
