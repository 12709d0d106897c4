// The registers of a SunSpec device: the marker, a chain of models, and values by the names of their points.

import { encodeRegisters } from "#core/modbus/register-value.ts";
import { pointLayout } from "#core/sunspec/decode-model.ts";
import { findModelPoint, sunSpecModel } from "#core/sunspec/parse-model.ts";
import type { RegisterBank } from "#drivers/modbus/answer-pdu.ts";

interface PlayedModel {
  readonly id: number;
  /** How often its group is repeated. */
  readonly repeats?: number;
  /** Numbers as they stand in the registers, and texts; the rest is not implemented. */
  readonly values: Readonly<Record<string, number | string>>;
}

/** Returns where the data of each model begins. */
export function playSunSpec(
  bank: RegisterBank,
  base: number,
  models: readonly PlayedModel[],
): ReadonlyMap<number, number> {
  const set = (address: number, values: readonly number[]) => {
    for (const [at, value] of values.entries()) bank.holdings.set(address + at, value);
  };
  const places = new Map<number, number>();
  set(base, [0x5375, 0x6e53]);
  let at = base + 2;
  for (const { id, repeats = 0, values } of models) {
    const model = sunSpecModel(id);
    if (model === undefined) throw new Error(`there is no model ${id}`);
    const length = model.count + repeats * (model.group?.count ?? 0);
    set(at, [id, length]);
    places.set(id, at + 2);
    set(at + 2, new Array<number>(length).fill(0x8000));
    for (const [name, value] of Object.entries(values)) {
      const found = findModelPoint(model, name);
      if (found === undefined) throw new Error(`model ${id} has no point ${name}`);
      set(at + 2 + found.offset, encodeRegisters(pointLayout(found.point), value));
    }
    at += 2 + length;
  }
  set(at, [0xffff, 0]);
  return places;
}
