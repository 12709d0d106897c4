import { expect, test } from "vitest";
import { SITE } from "../../../test/support/interlock-site.ts";
import { parseInterlock } from "./parse-interlock.ts";
import { resolveInterlock } from "./resolve-interlock.ts";

const CONNECTION = {
  kind: "connection",
  meter: { device: "meter", attribute: "power" },
  max_import: 17_000,
  loads: [{ device: "charger", control: "power" }],
};
const CONDITION = {
  kind: "condition",
  when: { device: "room", attribute: "temperature", above: 40, hysteresis: 2 },
  limits: [{ device: "charger", control: "power", max: 0 }],
};
const circuits = (...list: readonly object[]) => ({
  kind: "circuits",
  circuits: list,
  loads: [{ device: "charger", control: "current", circuit: "main" }],
});

const shape = (document: unknown) =>
  parseInterlock(document).problems.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);

function names(document: unknown): readonly string[] {
  const { interlock, problems } = parseInterlock(document);
  expect(problems).toEqual([]);
  return interlock === undefined
    ? []
    : resolveInterlock(interlock, SITE).problems.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
}

test("a short document is filled with careful defaults", () => {
  expect(parseInterlock(CONNECTION)).toMatchObject({
    problems: [],
    interlock: {
      kind: "connection",
      unit: "W",
      whenUnknown: "limit",
      staleMs: 30_000,
      sharing: "order",
      meter: { positive: "import" },
      loads: [{ effect: "consumes", safe: undefined, least: 0 }],
    },
  });
  expect(
    parseInterlock({ kind: "grid_signal", from: { device: "contact", attribute: "dim" }, limits: CONDITION.limits }),
  ).toMatchObject({
    interlock: { heartbeatMs: 120_000, afterFailsafe: "stay", failsafe: [{ max: 0 }], from: { active: true } },
  });
});

test.each<[unknown, readonly string[]]>([
  [null, ["wrong_value  must be an object"]],
  [{ kind: "magic" }, ["wrong_value /kind must be one of connection, circuits, condition, grid_signal"]],
  [{ ...CONNECTION, hold_for: "1m" }, ["does_not_go_together /hold_for does not go with connection"]],
  [{ ...CONNECTION, speed: 1 }, ["unknown_field /speed is not known here"]],
  [{ ...CONNECTION, max_import: Number.NaN }, ["wrong_value /max_import must be a number from 0 to 1000000000000"]],
  [{ ...CONNECTION, max_import: Infinity }, ["wrong_value /max_import must be a number from 0 to 1000000000000"]],
  [{ ...CONNECTION, max_import: undefined }, ["wrong_value /max_import or max_export is needed"]],
  [{ ...CONNECTION, stale_after: "soon" }, ["wrong_value /stale_after must be a duration from 1s to 1d, such as 1s"]],
  [{ ...CONNECTION, when_unknown: "allow" }, ["wrong_value /when_unknown must be one of limit, keep"]],
  [
    { ...CONNECTION, loads: [...CONNECTION.loads, ...CONNECTION.loads] },
    ["duplicate /loads/1 has the same device and control"],
  ],
  [{ ...CONNECTION, loads: Array(10_000).fill(CONNECTION.loads[0]) }, ["too_many /loads must be a list of 1 to 32"]],
  [
    circuits({ name: "main", max_current: 63 }, { name: "main", max_current: 1 }),
    ["duplicate /circuits/1/name is the name of another"],
  ],
  [
    circuits({ name: "main", max_current: 63, parent: "b" }, { name: "b", max_current: 1, parent: "main" }),
    ["cycle /circuits/0/parent leads back", "cycle /circuits/1/parent leads back"],
  ],
  [circuits({ name: "main", max_current: 63, parent: "main" }), ["cycle /circuits/0/parent leads back"]],
  [
    circuits({ name: "main", max_current: 63, parent: "x" }),
    ["unknown_circuit /circuits/0/parent must be one of main"],
  ],
  [circuits({ name: "other", max_current: 63 }), ["unknown_circuit /loads/0/circuit must be one of other"]],
  [
    circuits({ name: "main", max_current: 1, unmeasured: 1, meter: { device: "meter", attributes: ["a", "b"] } }),
    ["wrong_value /circuits/0/meter/attributes must have 3", "does_not_go_together /circuits/0/unmeasured does not go"],
  ],
  [
    { ...CONDITION, when: { device: "room", attribute: "temperature" } },
    ["wrong_value /when needs one of above, below and equals"],
  ],
  [{ ...CONDITION, limits: [{ device: "a", control: "b" }] }, ["wrong_value /limits/0 needs min or max"]],
  [
    { ...CONDITION, limits: [{ device: "a", control: "b", min: 2, max: 1 }] },
    ["wrong_value /limits/0/min must not be above max"],
  ],
  [{ kind: "grid_signal", from: "claims" }, ["wrong_value /failsafe is needed with from: claims"]],
])("%j is refused at the right place", (document, expected) => {
  const problems = shape(document);
  expect(problems.map((problem, n) => problem.slice(0, expected[n]?.length))).toEqual(expected);
});

test.each<[unknown, readonly string[]]>([
  [
    { ...CONNECTION, meter: { device: "nobody", attribute: "power" } },
    ['unknown_device /meter/device is no device of the site: "nobody"'],
  ],
  [
    { ...CONNECTION, meter: { device: "meter", attribute: "x" } },
    ['unknown_attribute /meter/attribute is no attribute of the device: "x"; it has power, mode'],
  ],
  [
    { ...CONNECTION, meter: { device: "meter", attribute: "mode" } },
    ['unknown_attribute /meter/attribute must be float or integer, and "mode" is string'],
  ],
  [
    { ...CONNECTION, meter: { device: "meter", attribute: "current_l1" } },
    ["wrong_unit /meter/attribute has the unit A, which cannot be converted to W"],
  ],
  [
    { ...CONNECTION, loads: [{ device: "charger", control: "x" }] },
    ['unknown_control /loads/0/control is no control of the device: "x"; it has power, current'],
  ],
  [
    { ...CONNECTION, loads: [{ device: "charger", control: "current" }] },
    ["wrong_unit /loads/0/per_unit is needed: how much W one A of current is"],
  ],
  [
    { ...CONNECTION, loads: [{ device: "charger", control: "power", safe: 12_000 }] },
    ["wrong_value /loads/0/safe must be from 0 to 11000"],
  ],
  [
    { ...CONDITION, limits: [{ device: "charger", control: "power", max: -1 }] },
    ["wrong_value /limits/0/max must not be below 0"],
  ],
  [
    { kind: "grid_signal", from: { device: "room", attribute: "temperature" }, limits: CONDITION.limits },
    ['unknown_attribute /from/attribute must be boolean, and "temperature" is float'],
  ],
])("%j names what does not exist or does not fit", (document, expected) => {
  expect(names(document).map((problem, n) => problem.slice(0, expected[n]?.length))).toEqual(expected);
});

test("nothing that is read makes it throw, and problems are bounded", () => {
  const deep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => ({ when: inner }), 1);
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field${n}`, n]));
  for (const document of [
    deep,
    many,
    [],
    "x",
    1,
    Object.create(null),
    { kind: "__proto__" },
    { kind: "constructor" },
    { ...CONDITION, when: [] },
  ]) {
    const { interlock, problems } = parseInterlock(document);
    expect(interlock).toBeUndefined();
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(50);
  }
});
