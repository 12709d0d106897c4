// A node of a cloud in a process of its own, which is killed and started again in the same data folder.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { NODE_ADMIN_TOKEN } from "../support/nodes.ts";
import { createSession, type Session } from "../support/session.ts";

const PROGRAM = fileURLToPath(new URL("./node-process.ts", import.meta.url));
const SEAL_KEY = "0123456789abcdef".repeat(4);

export interface NodeProcess {
  readonly url: string;
  /** Of the broker in it, if one runs there. */
  readonly mqttPort: number | undefined;
  readonly session: Session;
  readonly process: ChildProcess;
}

export class NodeVictim {
  current: NodeProcess | undefined;
  /** What its processes wrote to the standard error output. */
  said = "";
  readonly #options: object;

  constructor(options: object) {
    const data = mkdtempSync(join(tmpdir(), "busbar-victim-"));
    writeFileSync(join(data, "seal.key"), `${SEAL_KEY}\n`, { mode: 0o400 });
    this.#options = { ...options, data };
  }

  /** `program` starts a node as node-process.ts does: that of another version, for example. */
  async start(program = PROGRAM): Promise<void> {
    const child = spawn(process.execPath, [program, JSON.stringify(this.#options)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const errors: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors.push(text);
      this.said += text;
    });
    const lines = createInterface({ input: child.stdout });
    const first = await Promise.race([once(lines, "line"), once(child, "exit")]);
    if (typeof first[0] !== "string" || !first[0].startsWith("{"))
      throw new Error(`a node did not start: ${errors.join("")}`);
    const { url, mqttPort } = JSON.parse(first[0]) as Pick<NodeProcess, "url" | "mqttPort">;
    this.current = { url, mqttPort, process: child, session: createSession(url, NODE_ADMIN_TOKEN) };
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const victim = this.current;
    this.current = undefined;
    if (victim === undefined || victim.process.exitCode !== null) return;
    const gone = once(victim.process, "exit");
    victim.process.kill(signal);
    await gone;
  }
}
