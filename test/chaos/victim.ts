// The real program, started to be killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PROGRAM = fileURLToPath(new URL("../../bin/busbar", import.meta.url));

export interface Victim {
  readonly url: string;
  /** The admin token, as the first start wrote it. */
  readonly token: string;
  kill(): void;
  /** The signal or exit code that ended it. */
  readonly end: Promise<NodeJS.Signals | number>;
}

/** Resolves when it is ready; gives undefined when the failpoint killed it before that. */
export async function startVictim(
  data: string,
  failpoint?: string,
  flags: readonly string[] = ["--mqtt-port", "off"],
): Promise<Victim | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("BUSBAR_"));
  const child = spawn(PROGRAM, ["serve", "--data", data, "--port", "0", "--log-format", "json", ...flags], {
    cwd: data,
    env: { ...Object.fromEntries(inherited), ...(failpoint !== undefined && { BUSBAR_FAILPOINT: failpoint }) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const end = once(child, "exit").then(([code, signal]) => signal ?? code);
  const complaints: string[] = [];
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      complaints.push(line);
      const { msg, url } = line.startsWith("{") ? JSON.parse(line) : {};
      if (msg === "ready") resolve(url);
    });
  });
  const first = await Promise.race([ready, end]);
  if (first === "SIGKILL" && failpoint !== undefined) return undefined;
  if (typeof first !== "string" || !first.startsWith("http")) {
    throw new Error(`the program ended (${first}) before it was ready:\n${complaints.join("\n")}`);
  }
  return {
    url: first,
    token: readFileSync(join(data, "admin.token"), "utf8").trim(),
    kill: () => child.kill("SIGKILL"),
    end,
  };
}
