// An interface of SocketCAN, through the programs of can-utils: `candump` prints what arrives, `cansend` sends one frame.
// Node has no sockets of that family, and a native package for it would have to be built on every machine.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { ConnectionError } from "#drivers/connection-error.ts";
import { type CanFrame, MAX_STANDARD_ID, type OpenCan } from "./can-bus.ts";

const SEND_TIMEOUT_MS = 2000;
const run = promisify(execFile);

interface CanPrograms {
  readonly candump: string;
  readonly cansend: string;
  /** Where the system lists its interfaces. */
  readonly interfaces: string;
}

const SYSTEM: CanPrograms = { candump: "candump", cansend: "cansend", interfaces: "/sys/class/net" };

export function openCanBus(name: string, programs: CanPrograms = SYSTEM): OpenCan {
  return async (listener) => {
    if (!existsSync(`${programs.interfaces}/${name}`))
      throw new ConnectionError("connection", `CAN interface ${name} is not there`);
    const dump = spawn(programs.candump, ["-L", name], { stdio: ["ignore", "pipe", "pipe"] });
    let complaint = "";
    dump.stderr.on("data", (text: Buffer) => {
      complaint = `${complaint}${text}`.slice(0, 200);
    });
    createInterface({ input: dump.stdout }).on("line", (line) => {
      const frame = parseCandump(line);
      if (frame !== undefined) listener.received(frame);
    });
    dump.on("close", () => listener.lost(`candump ended${complaint === "" ? "" : `: ${complaint.trim()}`}`));
    await new Promise<void>((resolve, reject) => {
      dump.once("spawn", resolve);
      dump.once("error", (error) => reject(new ConnectionError("unsupported", explain(error))));
    });
    return {
      repeatsOwn: true,
      async send(frame) {
        try {
          await run(programs.cansend, [name, renderFrame(frame)], { timeout: SEND_TIMEOUT_MS });
        } catch (error) {
          throw new ConnectionError("connection", `the frame was not sent: ${explain(error)}`);
        }
      },
      close() {
        dump.removeAllListeners("close");
        dump.kill();
      },
    };
  };
}

/** `(1436509052.249713) can0 213#1122`: three digits are a standard identifier, eight an extended one. */
export function parseCandump(line: string): CanFrame | undefined {
  const [, id, data] = /^\(\d+\.\d+\) \S+ ([0-9A-F]{3}|[0-9A-F]{8})#((?:[0-9A-F]{2}){0,8})(?:\s.*)?$/i.exec(line) ?? [];
  return id === undefined || data === undefined
    ? undefined
    : { id: Number.parseInt(id, 16), data: Uint8Array.from(Buffer.from(data, "hex")) };
}

export function renderFrame({ id, data }: CanFrame): string {
  const digits = id > MAX_STANDARD_ID ? 8 : 3;
  return `${id.toString(16).toUpperCase().padStart(digits, "0")}#${Buffer.from(data).toString("hex").toUpperCase()}`;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT") return "CAN needs the programs of can-utils, which are not installed";
  const said = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  return said === "" ? (error.message.split("\n")[0] ?? "") : said.slice(0, 200);
}
