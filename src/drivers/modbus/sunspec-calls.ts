import { isFailure, type RegisterAccess } from "#core/modbus/register-access.ts";
import { writeCommand } from "#core/modbus/write-map.ts";
import { decodeModel } from "#core/sunspec/decode-model.ts";
import { findModels, readModelRegisters } from "#core/sunspec/find-models.ts";
import { findModelPoint, sunSpecModel } from "#core/sunspec/parse-model.ts";
import { integer } from "#drivers/arguments.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { bytesOf, type LuaValue, luaValueOf, textOf } from "#drivers/lua-value.ts";

const REGISTER = [0, 65_535] as const;

/** Base and models of a unit. */
export async function findSunSpec(access: RegisterAccess, unit: number): Promise<LuaValue> {
  const chain = await findModels(access, unit);
  if (chain === undefined) throw new ConnectionError("answer", `unit ${unit} has no SunSpec marker`);
  if ("failure" in chain) throw new ConnectionError("answer", chain.failure);
  const models = chain.models.map(({ id, address, length }) => {
    const known = sunSpecModel(id);
    return new Map<string, LuaValue>([
      ["id", id],
      ["address", address],
      ["length", length],
      ["name", known && bytesOf(known.label)],
    ]);
  });
  return new Map<string, LuaValue>([
    ["base", chain.base],
    ["models", models],
  ]);
}

/** The values of a model by name; those of a repeated group as a list of tables. */
export async function readSunSpec(
  access: RegisterAccess,
  unit: number,
  asked: ReadonlyMap<string, LuaValue>,
): Promise<LuaValue> {
  const field = (name: string) => integer(asked.get(name), name, REGISTER);
  const found = { id: field("id"), address: field("address"), length: field("length") };
  const model = sunSpecModel(found.id);
  if (model === undefined) throw new ConnectionError("invalid", `the SunSpec model ${found.id} is not known`);
  const registers = await readModelRegisters(access, unit, found);
  if (isFailure(registers)) throw new ConnectionError("answer", registers.failure);
  const { values, group } = decodeModel(model, registers);
  const named = new Map<string, unknown>(values);
  if (group !== undefined) named.set(group.name, group.items);
  return luaValueOf(named);
}

export async function writeSunSpec(
  access: RegisterAccess,
  unit: number,
  { model: given, values }: { readonly model: LuaValue; readonly values: ReadonlyMap<string, LuaValue> },
): Promise<void> {
  const id = integer(given, "model", REGISTER);
  const model = sunSpecModel(id);
  if (model === undefined) throw new ConnectionError("invalid", `the SunSpec model ${id} is not known`);
  const writes = [...values.keys()].map((key) => {
    const name = textOf(key);
    if (findModelPoint(model, name) === undefined)
      throw new ConnectionError("invalid", `model ${id} has no point ${name}`);
    return {
      argument: name,
      value: undefined,
      place: { from: "sunspec", unit, points: [{ model: id, name }] } as const,
      conversion: { scale: 1, offset: 0, absent: [], bits: undefined, isBoolean: false, names: undefined },
    };
  });
  const args = new Map(
    [...values].map(([key, value]) => [textOf(key), typeof value === "string" ? textOf(value) : value]),
  );
  const problem = await writeCommand(access, writes, { unit, args });
  if (problem !== undefined) throw new ConnectionError("answer", problem);
}
