import { constants, promises } from "node:fs";
import type { HardwarePort } from "#core/hardware/hardware-port.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import type { Quantity } from "./port-request.ts";

/** A port that has levels: a contact, an input, an output. */
export interface LevelPort {
  read(quantity: Quantity): Promise<number>;
  write(quantity: Quantity, value: number): Promise<void>;
}

/** Levels in files of the kernel (GPIO, LEDs, IIO): each holds one number. */
export function openLevelFile(port: HardwarePort & { readonly kind: "file" }): LevelPort {
  const { path, counterPath, scale, offset } = port;
  const counter = () => {
    if (counterPath === undefined) throw new ConnectionError("unsupported", `port ${port.name} has no counter`);
    return counterPath;
  };
  return {
    async read(quantity) {
      if (quantity === "counter") return await readNumber(counter());
      const value = (await readNumber(path)) * scale + offset;
      return quantity === "state" ? Number(value >= 0.5) : value;
    },
    async write(quantity, value) {
      if (quantity === "counter") return await writeNumber(counter(), value);
      const raw = (value - offset) / scale;
      await writeNumber(path, scale === 1 ? raw : Math.round(raw));
    },
  };
}

async function readNumber(path: string): Promise<number> {
  const text = await promises.readFile(path, "utf8").catch((error: unknown) => fail(path, error));
  const value = Number(text.trim());
  if (text.trim() === "" || !Number.isFinite(value)) throw new ConnectionError("answer", `${path} holds no number`);
  return value;
}

/** Never makes a file: a port that is not there is an error. */
async function writeNumber(path: string, value: number): Promise<void> {
  await promises
    .writeFile(path, String(value), { flag: constants.O_WRONLY | constants.O_TRUNC })
    .catch((error: unknown) => fail(path, error));
}

function fail(path: string, error: unknown): never {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  throw new ConnectionError("connection", code === "ENOENT" ? `${path} is not there` : `${path}: ${code}`);
}
