// Writes the registers of a command of a register map.
import { pointLayout } from "#core/sunspec/decode-model.ts";
import { findModels } from "#core/sunspec/find-models.ts";
import { findModelPoint, sunSpecModel } from "#core/sunspec/parse-model.ts";
import { registersFor, unconvert } from "./convert-value.ts";
import type { MapWrite, RegisterPlace, SunSpecPlace } from "./modbus-map.ts";
import { wordsOf } from "./read-map.ts";
import { isFailure, type RegisterAccess } from "./register-access.ts";
import { decodeRegisters, withoutNoise } from "./register-value.ts";

interface PlannedWrite {
  readonly place: Pick<RegisterPlace, "kind" | "address" | "unit">;
  readonly registers: readonly number[];
}

/**
 * Writes the arguments that were given, then the fixed values, each in its own request and in the order of the map. All
 * values are checked before anything is written. Returns the problem, if there is one.
 */
export async function writeCommand(
  access: RegisterAccess,
  writes: readonly MapWrite[],
  { unit, args }: { readonly unit: number; readonly args: ReadonlyMap<string, unknown> },
): Promise<string | undefined> {
  const planned: PlannedWrite[] = [];
  for (const write of writes) {
    const value = write.argument === undefined ? write.value : args.get(write.argument);
    if (value === undefined) continue;
    const plan = await planWrite(access, write, { unit, value });
    if ("problem" in plan) return `${write.argument ?? "value"} ${plan.problem}`;
    planned.push(plan);
  }
  for (const { place, registers } of planned) {
    const span = { unit: place.unit ?? unit, kind: place.kind, address: place.address };
    const failed = await access.write(span, registers);
    if (failed !== undefined) return `${wordsOf({ ...span, count: registers.length })}: ${failed.failure}`;
  }
  return undefined;
}

type Planned = PlannedWrite | { readonly problem: string };

async function planWrite(
  access: RegisterAccess,
  { place, conversion }: MapWrite,
  { unit, value }: { readonly unit: number; readonly value: unknown },
): Promise<Planned> {
  const given = unconvert(conversion, value);
  if ("problem" in given) return given;
  if (place.from === "sunspec") return await planSunSpec(access, place, { unit: place.unit ?? unit, raw: given.raw });
  const found = registersFor(place, given.raw);
  return "problem" in found ? found : { place, registers: found.registers };
}

/** The scale factor is read each time: devices may change it. */
async function planSunSpec(
  access: RegisterAccess,
  { points }: SunSpecPlace,
  { unit, raw }: { readonly unit: number; readonly raw: number | string },
): Promise<Planned> {
  const chain = await findModels(access, unit);
  if (chain === undefined) return { problem: "cannot be written: the device has no SunSpec marker" };
  if ("failure" in chain) return { problem: `cannot be written: ${chain.failure}` };
  for (const { model: id, name } of points) {
    const found = chain.models.find((one) => one.id === id);
    const model = sunSpecModel(id);
    const target = model && findModelPoint(model, name);
    if (found === undefined || model === undefined || target === undefined) continue;
    const { scaleFactor } = target.point;
    const factor = scaleFactor === undefined ? undefined : findModelPoint(model, scaleFactor);
    let exponent = 0;
    if (factor !== undefined) {
      const read = await access.read({ unit, kind: "holding", address: found.address + factor.offset, count: 1 });
      if (isFailure(read)) return { problem: `cannot be written: its scale factor: ${read.failure}` };
      exponent = Number(decodeRegisters(pointLayout(factor.point), read));
      if (exponent < -10 || exponent > 10) return { problem: "cannot be written: the device gives no scale factor" };
    }
    const scaled = typeof raw === "number" ? withoutNoise(raw / 10 ** exponent) : raw;
    const registers = registersFor({ kind: "holding", layout: pointLayout(target.point) }, scaled);
    if ("problem" in registers) return registers;
    return { place: { kind: "holding", address: found.address + target.offset, unit }, registers: registers.registers };
  }
  return { problem: `cannot be written: the device has no model ${points.map(({ model }) => model).join(" or ")}` };
}
