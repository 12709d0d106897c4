// A real Mosquitto on a free port, with the files that the service renders for it.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderMosquittoAcl, renderMosquittoPassword } from "#mqtt/external/mosquitto-files.ts";
import { hashForBroker } from "#service/access/hash-secret.ts";
import type { FakeLogin } from "./fake-inbox.ts";
import { freePort } from "./free-port.ts";

const PROGRAM = "/usr/sbin/mosquitto";
export const hasMosquitto = existsSync(PROGRAM);

export interface Mosquitto {
  readonly port: number;
  /** The URL with which the service itself connects. */
  readonly url: string;
  stop(): Promise<void>;
  /** Ends it and starts it again on the same port; what it kept in memory is lost. */
  restart(): Promise<void>;
  /** Kills it and starts it again on the same port. */
  crash(): Promise<void>;
}

/** For these devices only, or for anyone. */
export async function startMosquitto(
  logins: readonly FakeLogin[] | "anyone",
  { persistence = false } = {},
): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), "busbar-mosquitto-"));
  const port = await freePort();
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, 0o644);
    return path;
  };
  // Started by root, Mosquitto gives up its rights, and then keeps its sessions only in a folder that anyone may write to.
  chmodSync(folder, persistence ? 0o777 : 0o755);
  const protect = (devices: readonly FakeLogin[]): readonly string[] => {
    const users = [["busbar", "service-secret"] as const, ...devices.map((l) => [l.hardwareId, l.secret] as const)];
    const passwords = users.map(([name, secret]) =>
      renderMosquittoPassword(name, hashForBroker(secret, randomBytes(12))),
    );
    return [
      "allow_anonymous false",
      `password_file ${write("passwords", passwords.join(""))}`,
      `acl_file ${write("acl", renderMosquittoAcl("busbar"))}`,
    ];
  };
  const rules = logins === "anyone" ? ["allow_anonymous true"] : protect(logins);
  const lines = [
    `listener ${port} 127.0.0.1`,
    ...rules,
    ...(persistence
      ? ["persistence true", `persistence_location ${folder}/`, "autosave_interval 1"]
      : ["persistence false"]),
    "log_type all",
    "",
  ];
  const config = write("mosquitto.conf", lines.join("\n"));
  let running = await launch(config);
  return {
    port,
    url: `mqtt://busbar:service-secret@127.0.0.1:${port}`,
    async restart() {
      await end(running);
      running = await launch(config);
    },
    async crash() {
      await end(running, "SIGKILL");
      running = await launch(config);
    },
    async stop() {
      await end(running);
      rmSync(folder, { recursive: true });
    },
  };
}

async function launch(config: string): Promise<ChildProcess> {
  const child = spawn(PROGRAM, ["-c", config], { stdio: ["ignore", "ignore", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    let text = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (/mosquitto version .* running/.test(text)) resolve();
    });
    child.once("exit", () => reject(new Error(`mosquitto ended: ${text}`)));
  });
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}
