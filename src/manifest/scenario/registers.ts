// Registers and bits in a scenario: `40001: {float32: 51.2}`, `10: [1, 2]`, `3: true`.
import * as registers from "#core/modbus/register-value.ts";
import type { ExpectedValue } from "#core/scenario/expected-value.ts";
import * as r from "#manifest/reader.ts";
import { nameOf } from "#manifest/words.ts";
import { expectedValue } from "./expected.ts";
import type { ScenarioContext } from "./scenario-context.ts";

/** A Modbus exception, instead of what lies in registers. */
export interface ModbusError {
  readonly exception: number;
}

const LAST_REGISTER = 65_535;
const NUMBERING = `Registers are numbered from 0 to ${LAST_REGISTER}, as the script numbers them.`;

/** The number that the script gives to read_holdings and the like. */
const registerKey = r.keyOf("register", NUMBERING, (key) =>
  /^(\d+|0x[\da-fA-F]+)$/.test(key) && Number(key) <= LAST_REGISTER ? Number(key) : undefined,
);

const LAYOUT_FIELDS = {
  words: r.may(r.oneOf(registers.WORD_ORDERS), "Order of the registers: big (default) has the highest bits first."),
  scale: r.withDefault(r.number, 1, "What one step is worth: 0.1 where the register holds tenths. Default: 1."),
  count: r.may(r.integer(1, 125), "Registers that a string takes. Default: as many as it needs."),
};

interface Typed<T> {
  readonly layout: registers.RegisterLayout;
  readonly value: T;
}

/** An object with one of the types as key; `value` reads what stands behind it. */
function typed<T>(value: r.Reader<T>): r.Reader<Typed<T>> {
  const types = Object.fromEntries(
    registers.REGISTER_TYPES.map((type) => [type, r.may(value, `The value as ${type}.`)]),
  ) as Record<registers.RegisterType, r.Field<T, false>>;
  const fields = r.object("register", { ...types, ...LAYOUT_FIELDS });
  return r.reader(fields.schema, (context: ScenarioContext, trail) => {
    const given = fields.read(context, trail);
    const keys = trail.node.kind === "map" ? [...trail.node.entries.keys()] : [];
    if (given === undefined || keys.some((key) => !(key in types) && !(key in LAYOUT_FIELDS))) return undefined;
    const [type, second] = registers.REGISTER_TYPES.filter((one) => keys.includes(one));
    if (type === undefined || second !== undefined) {
      const message = `${nameOf(trail)} needs one type, such as {float32: 51.2}. Types are ${registers.REGISTER_TYPES.join(", ")}.`;
      return context.reporter.atKey(trail, { code: "missing_key", message });
    }
    if (given.scale === 0) return r.wrong(context, trail, "scaled by something else than 0");
    const content: T | undefined = given[type];
    if (content === undefined) return undefined;
    const { scale, count = defaultCount(type, content), words = context.peer.words } = given;
    return { layout: { type, scale, count, words, bytes: "big" }, value: content };
  });
}

function defaultCount(type: registers.RegisterType, value: unknown): number {
  if (type !== "string") return registers.registerCount({ type, count: 0 });
  const given = typeof value === "object" && value !== null && "value" in value ? value.value : value;
  return Math.max(1, Math.ceil(new TextEncoder().encode(String(given)).length / 2));
}

const exception = r.mapped(
  r.object("register", {
    error: r.must(r.integer(1, 255), "The Modbus exception that reading or writing it gives, such as 2."),
  }),
  ({ error }): ModbusError => ({ exception: error }),
);

const unsigned = (value: number): number => value & 0xffff;
const rawRegister = r.mapped(r.integer(-32_768, 65_535), unsigned);
const typedValue = typed(
  r.scalar({ type: ["number", "string"] }, "a number or a text", ({ value }) =>
    typeof value === "string" || (typeof value === "number" && Number.isFinite(value)) ? value : undefined,
  ),
);

/** What lies in registers: raw numbers, a typed value, or an exception. */
const registerContent = r.byForm<readonly number[] | ModbusError>({
  scalar: r.mapped(rawRegister, (value) => [value]),
  list: r.listOf(rawRegister),
  map: r.reader({ anyOf: [typedValue.schema, exception.schema] }, (context, trail) => {
    if (trail.node.kind === "map" && trail.node.entries.has("error")) return exception.read(context, trail);
    const given = typedValue.read(context, trail);
    if (given === undefined) return undefined;
    const problem = registers.registerProblem(given.layout, given.value);
    if (problem === undefined) return registers.encodeRegisters(given.layout, given.value);
    const message = `${given.layout.type} at ${nameOf(trail)} ${problem}.`;
    return context.reporter.atKey(trail, { code: "wrong_type", message });
  }),
  wanted: "a register's number, a list of them, or a value such as {float32: 51.2}",
});

const bits = r.byForm<readonly boolean[] | ModbusError>({
  scalar: r.mapped(r.flag, (value) => [value]),
  list: r.listOf(r.flag),
  map: exception,
  wanted: "true, false, or a list of them",
});

export const registerTable = r.shared("registers", r.record(registerKey, registerContent));
export const bitTable = r.shared("bits", r.record(registerKey, bits));

/** Without a layout it means registers or coils as they are. */
interface ExpectedRegisters {
  readonly layout: registers.RegisterLayout | undefined;
  readonly value: ExpectedValue;
}

const equalTo = (value: readonly (number | boolean)[]): ExpectedRegisters => ({
  layout: undefined,
  value: { kind: "equals", value, isExact: true },
});

/** What a script is expected to write: `10: 500`, `10: {int16: {approx: 500}}`. */
export const expectedRegisters = r.record(
  registerKey,
  r.placed(
    r.byForm<ExpectedRegisters>({
      scalar: r.mapped(rawRegister, (value) => equalTo([value])),
      list: r.mapped(r.listOf(rawRegister), equalTo),
      map: typed(expectedValue),
      wanted: "a register's number, a list of them, or a value such as {int16: 500}",
    }),
  ),
);

export const expectedCoils = r.record(
  registerKey,
  r.placed(
    r.byForm<ExpectedRegisters>({
      scalar: r.mapped(r.flag, (value) => equalTo([value])),
      list: r.mapped(r.listOf(r.flag), equalTo),
      wanted: "true, false, or a list of them",
    }),
  ),
);
