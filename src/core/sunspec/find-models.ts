// Finds the models of a device: the marker "SunS", then a chain of models, each with its number and its length.
import { MAX_SPAN } from "#core/modbus/modbus-map.ts";
import { type AccessFailure, isFailure, type RegisterAccess } from "#core/modbus/register-access.ts";

export interface FoundModel {
  readonly id: number;
  /** The first register of its data, behind number and length. */
  readonly address: number;
  /** Registers of data. */
  readonly length: number;
}

export interface ModelChain {
  /** The register of the marker. */
  readonly base: number;
  readonly models: readonly FoundModel[];
}

/** Where the marker may be, the usual places first; devices that count registers from 1 have it one lower or higher. */
const BASES = [40_000, 50_000, 0, 39_999, 49_999, 1] as const;
const MARKER = [0x5375, 0x6e53] as const;
const END_ID = 0xffff;
/** A chain that is longer, or that leads nowhere, is not followed. */
const MOST_MODELS = 64;
const LAST_REGISTER = 65_535;
/** Of a model's data; what a longer model has beyond is not read. */
const MOST_REGISTERS = 1_000;

/** Undefined when the device has no marker, which is no failure. */
export async function findModels(
  access: Pick<RegisterAccess, "read">,
  unit: number,
): Promise<ModelChain | AccessFailure | undefined> {
  for (const base of BASES) {
    const marker = await access.read({ unit, kind: "holding", address: base, count: 2 });
    if (isFailure(marker)) {
      if (marker.kind === "exception") continue;
      return marker;
    }
    if (marker[0] === MARKER[0] && marker[1] === MARKER[1]) return await walk(access, unit, base);
  }
  return undefined;
}

async function walk(
  access: Pick<RegisterAccess, "read">,
  unit: number,
  base: number,
): Promise<ModelChain | AccessFailure> {
  const models: FoundModel[] = [];
  for (let at = base + 2; at < LAST_REGISTER && models.length < MOST_MODELS; ) {
    const head = await access.read({ unit, kind: "holding", address: at, count: 2 });
    if (isFailure(head)) {
      // Some devices end their chain by registers that cannot be read.
      if (head.kind === "exception" && models.length > 0) break;
      return head;
    }
    const [id = END_ID, length = 0] = head;
    if (id === END_ID || id === 0) break;
    models.push({ id, address: at + 2, length });
    at += 2 + length;
  }
  return { base, models };
}

/** The registers of a model's data, in as many requests as they need. */
export async function readModelRegisters(
  access: Pick<RegisterAccess, "read">,
  unit: number,
  { address, length }: FoundModel,
): Promise<readonly number[] | AccessFailure> {
  const registers: number[] = [];
  const last = Math.min(address + Math.min(length, MOST_REGISTERS), LAST_REGISTER + 1);
  for (let at = address; at < last; at += MAX_SPAN.holding) {
    const part = await access.read({
      unit,
      kind: "holding",
      address: at,
      count: Math.min(MAX_SPAN.holding, last - at),
    });
    if (isFailure(part)) return part;
    registers.push(...part);
  }
  return registers;
}
