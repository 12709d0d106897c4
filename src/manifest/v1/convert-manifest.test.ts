import { expect, test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { randomFrom } from "../../../test/support/random.ts";
import { convertManifest } from "./convert-manifest.ts";

const head = "blueprint_spec: device/1.0\ndisplay_name: D\n";
const MODULE = "communication_module: {product: ENP-VIRTUAL, lua_file: a.lua}\n";

function convert(body: string) {
  const { text = "", notes } = convertManifest(head + body);
  return { text, said: notes.map(({ kind, path }) => `${kind} ${path}`) };
}

test.each([
  ["ENP-RS485", ["modbus"]],
  ["ENP-RS232", ["modbus"]],
  ["ENP-CAN", ["can"]],
  ["ENP-RL6", ["relay"]],
  ["ENP-KIT-RL1", ["relay"]],
  ["ENP-DI7", ["digitalin"]],
  ["ENP-AI4", ["analogin"]],
  ["ENP-VIRTUAL", []],
])("the module %s asks for %j", (product, requirements) => {
  const { text } = convert(`communication_module: {product: ${product}, lua_file: a.lua}\n`);
  expect(parseManifest(text).blueprint?.runtime.requirements).toEqual(requirements);
});

test.each([
  ["lua_file: a.lua", { file: "a.lua" }],
  ["lua: {file: a.lua}", { file: "a.lua" }],
  ["lua: {dir: src, rockspec: x.rockspec}", { dir: "src", rockspec: "x.rockspec" }],
  ["lua: {dir: src, amalg_mode: nodebug}", { dir: "src", amalgMode: ["nodebug"] }],
  ["lua: {file: a.lua, dependencies: [x ~> 1, y]}", { luarocks: ["x ~> 1", "y"] }],
  ["lua: {file: a.lua, allow_dev_dependencies: true}", { allowDevLuarocks: true }],
  ["lua_file: a.lua\n  dependencies: x ~> 1", { luarocks: ["x ~> 1"] }],
])("the runtime of %j has %j", (options, expected) => {
  const { text } = convert(`communication_module:\n  product: ENP-VIRTUAL\n  ${options}\n`);
  expect(parseManifest(text).blueprint?.runtime).toMatchObject({ type: "lua", options: expected });
});

test.each([
  ["sensors", "sensors"],
  ["fuel_cells", "fuel-cells"],
  ["power_meters", "power-meters"],
  ["batteries", "battery-systems"],
  ["network_infrastructure", "networking"],
  ["cloud_services", "data-providers"],
  ["water_management", "water-treatment"],
  ["ev_chargers", "electric-vehicles"],
  ["switches", undefined],
  ["pumps", undefined],
  ["whatever", undefined],
])("the category %s is %s", (given, category) => {
  const { text, said } = convert(`${MODULE}.cloud: {category: ${given}}\n`);
  expect(parseManifest(text).blueprint?.category).toBe(category);
  expect(said.includes("decide /.cloud/category")).toBe(category === undefined);
  expect(text).toContain(`category: ${given}`);
});

test.each(
  `volt V,volts V,v V,watt W,kwatt kW,amp A,amps A,celsius Cel,celsuis Cel,°C Cel,C Cel,percent %,percentage %,hertz Hz,
  watth Wh,kwatth kWh,kwh kWh,voltamp VA,VAr VAR,voltampreact VAR,hours h,seconds s,day d,degree deg,° deg,joule J,litre L,
  litreh L/h,m³ m3,mm/sec mm/s,μS/cm uS/cm,Mbps Mbps,NL/h NL/h,ln/h ln/h,dBm dBm,varh varh,gCO2eq/kWh gCO2eq/kWh,date date`
    .split(/,\s*/)
    .map((row) => row.split(" ")),
)("the unit %s is %s, and known", (given, unit) => {
  const { text } = convert(`${MODULE}telemetry: {a: {type: float, display_name: A, unit: "${given}"}}\n`);
  const { blueprint, issues } = parseManifest(text);
  expect([blueprint?.telemetry.get("a")?.unit, issues.map(({ code }) => code)]).toEqual([unit, []]);
});

test.each([
  ["telemetry_preprocessor: {lua_file: x}\n", "decide /telemetry_preprocessor"],
  ["virtual_commands: {a: {}}\n", "decide /virtual_commands"],
  ["commands: {a: {display_name: A, virtual: true}}\n", "decide /commands/a/virtual"],
  ["telemetry: {a: {type: float, display_name: A, unit: F}}\n", "decide /telemetry/a/unit"],
  ["telemetry: {a b: {type: float, display_name: A}}\n", "decide /telemetry/a b"],
  ["alerts: {a: {display_name: A}}\n", "decide /alerts/a"],
])("%j is for a person: %s", (body, expected) => {
  expect(convert(MODULE + body).said).toContain(expected);
});

test("of several modules one is the runtime, and a person makes blueprints of the others", () => {
  const { text, said } = convert(
    "communication_modules: {a: {product: ENP-CAN}, b: {product: ENP-RL6, lua_file: b.lua}}\n",
  );
  expect(parseManifest(text).blueprint?.runtime).toMatchObject({ options: { file: "b.lua" }, requirements: ["relay"] });
  expect(said).toContain("decide /communication_modules");
});

test("whatever the text is, nothing is thrown, and what is written can be read again", () => {
  const whole = `${head}${MODULE}telemetry:\n  a: &a {type: int, unit: volt, enum: {x: {color: "#0f0"}}}\n  b: *a\n  c: {<<: *a}
commands: {set: {quick_access: true, arguments: {n: {type: integer, default: "5"}}}}\nalerts:\n  e:\n.cloud: {category: pumps}\n`;
  const bits = [
    "{",
    "}",
    "[",
    "]",
    ": ",
    "- ",
    "&b ",
    "*a",
    "*none",
    "null",
    "\n",
    "  ",
    "!!set ",
    "? ",
    "|",
    "'",
    "#",
    "x: 5",
  ];
  const random = randomFrom(7);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let count = 0; count < 400; count += 1) {
    let text = whole;
    for (let edits = below(4); edits >= 0; edits -= 1) {
      const at = below(text.length);
      text = text.slice(0, at) + (bits[below(bits.length)] ?? "") + text.slice(at + below(8));
    }
    const converted = convertManifest(text).text;
    if (converted === undefined) continue;
    const codes = parseManifest(converted).issues.map(({ code }) => code);
    expect(
      codes.filter((code) => code === "yaml_syntax" || code === "unknown_spec"),
      text,
    ).toEqual([]);
  }
});

test.each([
  ["", "The manifest cannot be read. Line 1: The manifest is empty."],
  ["[]", "The manifest is no object."],
  ["blueprint_spec: device/3.0\n", "Its blueprint_spec is device/3.0, not device/1.0."],
  [`${head}a: *nobody\n`, "The manifest cannot be written anew: Unresolved alias"],
  ["display_name: x\n", "Its blueprint_spec is missing, not device/1.0."],
])("%j is not converted: %s", (text, message) => {
  expect(convertManifest(text)).toMatchObject({
    text: undefined,
    notes: [{ message: expect.stringContaining(message) }],
  });
});
