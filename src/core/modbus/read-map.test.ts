import { expect, test } from "vitest";
import { parseModbusMap } from "#manifest/modbus/parse-modbus-map.ts";
import type { ModbusMap, Span } from "./modbus-map.ts";
import { createMapReader } from "./read-map.ts";
import type { AccessFailure, RegisterAccess } from "./register-access.ts";
import { writeCommand } from "./write-map.ts";

function mapOf(text: string): ModbusMap {
  const { map, issues } = parseModbusMap(text);
  if (map === undefined) throw new Error(issues.map(({ message }) => message).join("\n"));
  return map;
}

const ILLEGAL: AccessFailure = { failure: "exception 2: illegal data address", kind: "exception", exception: 2 };

/** A device with some registers; others are refused. `asked` notes each request as `h0+3`. */
function device(registers: Readonly<Record<number, number>>) {
  const held = new Map(Object.entries(registers).map(([address, value]) => [Number(address), value]));
  const asked: string[] = [];
  let failure: AccessFailure | undefined;
  const access: RegisterAccess = {
    async read({ kind, address, count }: Span) {
      asked.push(`${kind.charAt(0)}${address}+${count}`);
      if (failure !== undefined) return failure;
      const all = Array.from({ length: count }, (_, at) => held.get(address + at));
      return all.every((one) => one !== undefined) ? all.map((one) => one ?? 0) : ILLEGAL;
    },
    async write({ address }, values) {
      if (!held.has(address)) return ILLEGAL;
      for (const [at, value] of values.entries()) held.set(address + at, value);
      return undefined;
    },
  };
  return {
    access,
    asked,
    held,
    fail(next: AccessFailure | undefined) {
      failure = next;
    },
  };
}

test("values are scaled, shifted, named and split into bits; numbers that mean nothing are absent", async () => {
  const map = mapOf(`
telemetry:
  power: {address: 0, type: int32, scale: 0.1}
  temperature: {address: 2, type: int16, scale: 0.1, offset: -40, not_a_value: 0x8000}
  cold: {address: 3, type: int16, not_a_value: [0x8000, 0x7fff]}
  status: {address: 4, enum: {0: idle, 2: running}}
  strange: {address: 5, enum: {0: idle}}
  is_hot: {address: 6, bit: 3}
  mode: {address: 6, bits: [4, 7]}
  on: {address: 6, type: bool}
alerts:
  overheated: {address: 6, bit: 3}
  grid_lost: {address: 6, bit: 0}
properties:
  serial: {address: 7, type: string, count: 2}
`);
  const { access, asked } = device({
    0: 0xffff,
    1: 0xff9c,
    2: 653,
    3: 0x8000,
    4: 2,
    5: 9,
    6: 0x58,
    7: 0x4142,
    8: 0x4300,
  });
  const reading = await createMapReader(map, 1, access).read("");
  expect(Object.fromEntries(reading.telemetry)).toEqual({
    power: -10,
    temperature: 25.3,
    status: "running",
    is_hot: true,
    mode: 5,
    on: true,
  });
  expect([...reading.properties]).toEqual([["serial", "ABC"]]);
  expect(reading.alerts).toEqual(["overheated"]);
  expect(reading.failures).toEqual([]);
  expect(asked).toEqual(["h0+9"]);
});

test("a register that the device refuses costs only its own value, and is remembered", async () => {
  const map = mapOf("telemetry: {a: {address: 0}, b: {address: 1}, c: {address: 4}, d: {address: 9}}");
  const { access, asked } = device({ 0: 10, 4: 14, 9: 19 });
  const reader = createMapReader(map, 1, access);
  const first = await reader.read("");
  expect(Object.fromEntries(first.telemetry)).toEqual({ a: 10, c: 14, d: 19 });
  expect(first.failures).toEqual(["holding register 1 of unit 1: exception 2: illegal data address"]);
  expect(first.isSilent).toBe(false);
  asked.length = 0;
  await reader.read("");
  expect(asked).toEqual(["h0+1", "h1+1", "h4+1", "h9+1"]);
});

test("a device that is silent is asked twice, and one that cannot be reached once", async () => {
  const map = mapOf("max_gap: 0\ntelemetry: {a: {address: 0}, b: {address: 10}, c: {address: 20}}");
  const { access, asked, fail } = device({ 0: 1, 10: 2, 20: 3 });
  const reader = createMapReader(map, 1, access);
  fail({ failure: "no answer", kind: "silence" });
  expect(await reader.read("")).toMatchObject({ isSilent: true, failures: { length: 2 } });
  expect(asked.splice(0)).toHaveLength(2);
  fail({ failure: "connection refused", kind: "unreachable" });
  expect(await reader.read("")).toMatchObject({ isSilent: true, failures: { length: 1 } });
  expect(asked.splice(0)).toHaveLength(1);
  fail(undefined);
  expect(Object.fromEntries((await reader.read("")).telemetry)).toEqual({ a: 1, b: 2, c: 3 });
});

test("groups are read on their own, and know the alerts of the others", async () => {
  const map = mapOf(`
groups: {slow: {interval: 1m, unit: 2}}
telemetry: {a: {address: 0}, b: {address: 0, group: slow}}
alerts: {hot: {address: 1, group: slow}}
`);
  const { access } = device({ 0: 7, 1: 1 });
  const reader = createMapReader(map, 1, access);
  expect(map.groups).toEqual([
    { name: "", intervalMs: 1_000 },
    { name: "slow", intervalMs: 60_000 },
  ]);
  expect((await reader.read("slow")).alerts).toEqual(["hot"]);
  expect(await reader.read("")).toMatchObject({ telemetry: new Map([["a", 7]]), alerts: ["hot"] });
});

/** A SunSpec device at `base` with model 1 (shortened), model 123 and the end. */
function sunSpecDevice(base: number) {
  const registers = [0x5375, 0x6e53, 1, 16, ...ascii("Acme", 16), 123, 24, ...new Array<number>(24).fill(0), 0xffff, 0];
  const at = Object.fromEntries(registers.map((value, index) => [base + index, value]));
  const controls = base + 2 + 18 + 2;
  return { ...device({ ...at, [controls + 3]: 500, [controls + 21]: 0xffff }), controls };
}

function ascii(text: string, count: number): readonly number[] {
  return Array.from(
    { length: count },
    (_, at) => ((text.charCodeAt(at * 2) || 0) << 8) | (text.charCodeAt(at * 2 + 1) || 0),
  );
}

test.each([40_000, 50_000, 0, 39_999, 1])("SunSpec points are found from register %i on", async (base) => {
  const map = mapOf("telemetry: {limit: {sunspec: [101.W, 123.WMaxLimPct]}}\nproperties: {vendor: {sunspec: 1.Mn}}");
  const { access } = sunSpecDevice(base);
  const reading = await createMapReader(map, 1, access).read("");
  expect(reading).toMatchObject({
    telemetry: new Map([["limit", 50]]),
    properties: new Map([["vendor", "Acme"]]),
    failures: [],
  });
});

test("a device without SunSpec says so, and its values are absent", async () => {
  const map = mapOf("telemetry: {power: {sunspec: 103.W}}");
  const reading = await createMapReader(map, 1, device({ 0: 1, 1: 2 }).access).read("");
  expect(reading).toMatchObject({
    telemetry: new Map(),
    failures: ["SunSpec of unit 1: the device has no SunSpec marker"],
  });
});

const COMMANDS = `
commands:
  set_power:
    arguments: {power: {address: 1, type: int16, scale: 0.1}, mode: {address: 2, enum: {1: eco, 2: full}}}
    values: {enable: {address: 3, value: 1}}
  set_limit: {arguments: {limit: {sunspec: 123.WMaxLimPct}}, values: {on: {sunspec: 123.WMaxLim_Ena, value: 1}}}
`;

test("a command writes its arguments, then its fixed values", async () => {
  const { access, held } = device({ 1: 0, 2: 0, 3: 0 });
  const writes = mapOf(COMMANDS).commands.get("set_power") ?? [];
  const args = new Map<string, unknown>([
    ["power", -12.3],
    ["mode", "full"],
  ]);
  expect(await writeCommand(access, writes, { unit: 1, args })).toBeUndefined();
  expect([...held.values()]).toEqual([0xff85, 2, 1]);
  expect(await writeCommand(access, writes, { unit: 1, args: new Map([["mode", "eco"]]) })).toBeUndefined();
  expect([...held.values()]).toEqual([0xff85, 1, 1]);
});

test.each([
  [{ power: 4000 }, "power must lie between -32768 and 32767, not 40000"],
  [{ mode: "fast" }, "mode must be one of eco, full, not fast"],
])("%j is refused before anything is written", async (args, problem) => {
  const { access, held } = device({ 1: 0, 2: 0, 3: 0 });
  const writes = mapOf(COMMANDS).commands.get("set_power") ?? [];
  expect(await writeCommand(access, writes, { unit: 1, args: new Map(Object.entries(args)) })).toBe(problem);
  expect([...held.values()]).toEqual([0, 0, 0]);
});

test("a SunSpec point is written with the scale factor of the device", async () => {
  const { access, held, controls } = sunSpecDevice(40_000);
  const writes = mapOf(COMMANDS).commands.get("set_limit") ?? [];
  expect(await writeCommand(access, writes, { unit: 1, args: new Map([["limit", 42.5]]) })).toBeUndefined();
  expect([held.get(controls + 3), held.get(controls + 7)]).toEqual([425, 1]);
});
