// Registers and bits in a scenario: `40001: {float32: 51.2}`, `10: [1, 2]`, `3: true`.

import {
  encodeRegisters,
  REGISTER_TYPES,
  type RegisterLayout,
  type RegisterType,
  registerCount,
  registerProblem,
  WORD_ORDERS,
  type WordOrder,
} from "#core/modbus/register-value.ts";
import type { ExpectedValue } from "#core/scenario/expected-value.ts";
import type { ModbusError, Placed } from "#core/scenario/scenario.ts";
import type { Trail } from "#manifest/tree.ts";
import { quote } from "#manifest/words.ts";
import { expectedValue } from "./read-expected-value.ts";
import {
  type Field,
  flag,
  integer,
  mapReader,
  may,
  must,
  nameOf,
  number,
  oneOf,
  placed,
  type Reader,
  type ScenarioContext,
  text,
  withDefault,
  wrong,
} from "./reader.ts";
import { byForm, listOf, object, recordOf } from "./reader-shapes.ts";

const LAST_REGISTER = 65_535;

/** The number that the script gives to read_holdings and the like. */
function registerKey(context: ScenarioContext, trail: Trail): number | undefined {
  const address = Number(trail.step);
  if (/^(\d+|0x[\da-fA-F]+)$/.test(String(trail.step)) && address <= LAST_REGISTER) return address;
  const message = `${quote(String(trail.step))} is no register. Registers are numbered from 0 to ${LAST_REGISTER}, as the script numbers them.`;
  context.reporter.atKey(trail, { code: "bad_id", message });
  return undefined;
}

const LAYOUT_FIELDS = {
  words: may(oneOf(WORD_ORDERS), "Order of the registers: big (default) has the highest bits first."),
  scale: withDefault(number, 1, "What one step is worth: 0.1 where the register holds tenths. Default: 1."),
  count: may(integer(1, 125), "Registers that a string takes. Default: as many as it needs."),
};

interface Typed<T> {
  readonly layout: RegisterLayout;
  readonly value: T;
}

/** An object with one of the types as key; `value` reads what stands behind it. */
function typedReader<T>(words: WordOrder, value: Reader<T>): Reader<Typed<T>> {
  const types = Object.fromEntries(REGISTER_TYPES.map((type) => [type, may(value, `The value as ${type}.`)]));
  const fields = object("register", { ...(types as Record<RegisterType, Field<T, false>>), ...LAYOUT_FIELDS });
  return {
    schema: fields.schema,
    read: (context, trail) => {
      const given = fields.read(context, trail);
      const keys = trail.node.kind === "map" ? [...trail.node.entries.keys()] : [];
      if (given === undefined || keys.some((key) => !(key in types) && !(key in LAYOUT_FIELDS))) return undefined;
      const [type, second] = REGISTER_TYPES.filter((one) => keys.includes(one));
      if (type === undefined || second !== undefined) {
        const message = `${nameOf(trail)} needs one type, such as {float32: 51.2}. Types are ${REGISTER_TYPES.join(", ")}.`;
        context.reporter.atKey(trail, { code: "missing_key", message });
        return undefined;
      }
      const { scale } = given;
      if (scale === 0) return wrong(context, trail, "scaled by something else than 0");
      const content: T | undefined = given[type];
      if (content === undefined) return undefined;
      const count = given.count ?? defaultCount(type, content);
      return { layout: { type, scale, count, words: given.words ?? words, bytes: "big" }, value: content };
    },
  };
}

function defaultCount(type: RegisterType, value: unknown): number {
  if (type !== "string") return registerCount({ type, count: 0 });
  const given = typeof value === "object" && value !== null && "value" in value ? value.value : value;
  return Math.max(1, Math.ceil(new TextEncoder().encode(String(given)).length / 2));
}

const exception = mapReader(
  object("register", {
    error: must(integer(1, 255), "The Modbus exception that reading or writing it gives, such as 2."),
  }),
  ({ error }): ModbusError => ({ exception: error }),
);

const rawRegister = integer(-32_768, 65_535);
const rawRegisters: Reader<readonly number[]> = mapReader(listOf(rawRegister), (list) => list.map(unsigned));
const unsigned = (value: number): number => value & 0xffff;

const scalarValue: Reader<number | string> = byForm<number | string>({
  scalar: {
    schema: { type: ["number", "string"] },
    read: (context, trail) =>
      trail.node.kind === "scalar" && typeof trail.node.value === "string"
        ? text.read(context, trail)
        : number.read(context, trail),
  },
  wanted: "a number or a text",
});

/** What lies in registers: raw numbers, a typed value, or an exception. */
function registerContent(words: WordOrder): Reader<readonly number[] | ModbusError> {
  const typed = typedReader(words, scalarValue);
  return byForm<readonly number[] | ModbusError>({
    scalar: mapReader(rawRegister, (value) => [unsigned(value)]),
    list: rawRegisters,
    map: {
      schema: { anyOf: [typed.schema, exception.schema] },
      read: (context, trail) => {
        if (trail.node.kind === "map" && trail.node.entries.has("error")) return exception.read(context, trail);
        const given = typed.read(context, trail);
        if (given === undefined) return undefined;
        const problem = registerProblem(given.layout, given.value);
        if (problem === undefined) return encodeRegisters(given.layout, given.value);
        const message = `${given.layout.type} at ${nameOf(trail)} ${problem}.`;
        context.reporter.atKey(trail, { code: "wrong_type", message });
        return undefined;
      },
    },
    wanted: "a register's number, a list of them, or a value such as {float32: 51.2}",
  });
}

const bits = byForm<readonly boolean[] | ModbusError>({
  scalar: mapReader(flag, (value) => [value]),
  list: listOf(flag),
  map: exception,
  wanted: "true, false, or a list of them",
});

export function registerTable(words: WordOrder): Reader<ReadonlyMap<number, readonly number[] | ModbusError>> {
  const content = registerContent(words);
  return recordOf({ keys: "register", key: registerKey, value: () => content, schema: content.schema });
}

export const bitTable: Reader<ReadonlyMap<number, readonly boolean[] | ModbusError>> = recordOf({
  keys: "bit",
  key: registerKey,
  value: () => bits,
  schema: bits.schema,
});

export interface ExpectedRegisters {
  /** Undefined: registers as they are. */
  readonly layout: RegisterLayout | undefined;
  readonly value: ExpectedValue;
}

const equalTo = (value: number | boolean | readonly (number | boolean)[]): ExpectedRegisters => ({
  layout: undefined,
  value: { kind: "equals", value, isExact: true },
});

/** What a script is expected to write: `10: 500`, `10: {int16: {approx: 500}}`. */
export function expectedRegisters(words: WordOrder): Reader<ReadonlyMap<number, Placed<ExpectedRegisters>>> {
  const content = byForm<ExpectedRegisters>({
    scalar: mapReader(rawRegister, (value) => equalTo([unsigned(value)])),
    list: mapReader(rawRegisters, equalTo),
    map: typedReader(words, expectedValue),
    wanted: "a register's number, a list of them, or a value such as {int16: 500}",
  });
  return recordOf({ keys: "register", key: registerKey, value: () => placed(content), schema: content.schema });
}

const expectedBits = byForm<ExpectedRegisters>({
  scalar: mapReader(flag, (value) => equalTo([value])),
  list: mapReader(listOf(flag), equalTo),
  wanted: "true, false, or a list of them",
});

export const expectedCoils: Reader<ReadonlyMap<number, Placed<ExpectedRegisters>>> = recordOf({
  keys: "coil",
  key: registerKey,
  value: () => placed(expectedBits),
  schema: expectedBits.schema,
});
