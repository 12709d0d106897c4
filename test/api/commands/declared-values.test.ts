// What a blueprint declares about values, over HTTP and MQTT: enums of every type, defaults, responses, JSON schemas.
import { beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, commandsOf, makeCommandSite, upload } from "../../support/command-site.ts";
import { PATIENT } from "../../support/patient.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const MANIFEST = `blueprint_spec: device/3.0
display_name: Values
runtime: {type: embedded}
properties:
  layout:
    display_name: Layout
    type: json
    json_schema: '{"type": "object", "required": ["cells"], "properties": {"cells": {"type": "integer"}}}'
  secret_layout:
    display_name: Secret layout
    type: json
    json_schema: '{"type": "array"}'
    access_level: vendor
  rating: {display_name: Rating, type: json, enum: ["A", 2]}
  serial: {display_name: Serial, type: string}
command_groups:
  main: {display_name: Main}
commands:
  choose:
    group: main
    display_name: Choose
    arguments:
      mode: {display_name: Mode, type: json, enum: [eco, 2, '{"a": 1}']}
      names: {display_name: Names, type: array_of_strings, enum: [left, right]}
      flag: {display_name: Flag, type: boolean, enum: {true: {display_name: "Yes"}}}
      ratio: {display_name: Ratio, type: float, enum: [0.5, 1]}
  limit:
    group: main
    display_name: Limit
    arguments:
      power: {display_name: Power, type: integer, min: 1, max: 10, default: 50}
      mode: {display_name: Mode, type: string, enum: [eco, boost], default: off}
      setup: {display_name: Setup, type: json, json_schema: '{"type": "object"}', default: '[1]'}
      note: {display_name: Note, type: string, max: 2}
  measure:
    group: main
    display_name: Measure
    read_access_level: readonly
    response:
      power: {type: float, required: true}
      mode: {type: string, enum: [eco, boost]}
      host: {type: string, format: ipv4}
      layout: {type: json, json_schema: '{"type": "array"}'}
  audit:
    group: main
    display_name: Audit
    read_access_level: vendor
    response:
      pin: {type: integer}
configuration:
  main:
    display_name: Main
    parameters:
      mode: {display_name: Mode, type: json, enum: [eco, 2]}
      names: {display_name: Names, type: array_of_strings, enum: [left, right]}
      power: {display_name: Power, type: integer, max: 10, default: 50}
`;

let site: CommandSite;
let blueprintId: string;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Values");
  blueprintId = await upload(busbar, MANIFEST);
});

async function setUp(name: string) {
  const deviceId = await site.device(name, { blueprint_id: blueprintId });
  const device = await site.connect(deviceId);
  const log = async () =>
    (await busbar.admin.get<{ logs: { message: string }[] }>(`/v3/devices/${deviceId}/logs`)).body.logs.map(
      ({ message }) => message,
    );
  return { deviceId, device, log, commands: commandsOf(busbar.admin, deviceId) };
}

test.each<readonly [object, string]>([
  [{ mode: "eco" }, ""],
  [{ mode: 2 }, ""],
  [{ mode: { a: 1 } }, ""],
  [{ mode: "boost" }, "mode must be one of"],
  [{ mode: ["eco"] }, "mode must be one of"],
  [{ mode: { a: 2 } }, "mode must be one of"],
  [{ names: ["right", "left"] }, ""],
  [{ names: ["left", "up"] }, 'names must be one of left, right, not "up"'],
  [{ flag: true }, ""],
  [{ flag: false }, "flag must be one of true, not false"],
  [{ ratio: 1 }, ""],
  [{ ratio: 0.6 }, "ratio must be one of 0.5, 1, not 0.6"],
])("an enum holds on every type: the arguments %j are refused with %j", async (args, problem) => {
  const { device, commands } = await setUp("Enums");
  device.onCommand((command) => command.completed());
  const { status, errors } = await commands.execute({ name: "choose", arguments: args });
  expect([status, errors?.[0]?.message ?? ""]).toEqual([problem === "" ? 200 : 400, expect.stringContaining(problem)]);
});

test("an enum holds for configuration too, and a default beyond its bounds is what the device gets", async () => {
  const { deviceId, device } = await setUp("Configured");
  const put = async (json: object) =>
    (await busbar.admin.call("PUT", `/v3/devices/${deviceId}/configuration/main`, { json })).status;
  expect([await put({ mode: "boost" }), await put({ names: ["up"] }), await put({ power: 11 })]).toEqual([
    400, 400, 400,
  ]);
  await device.nextConfiguration();
  expect(await put({ mode: "eco", names: ["left"] })).toBe(200);
  expect(await device.nextConfiguration()).toEqual({ main: { mode: "eco", names: ["left"], power: 50 } });
});

test("a default is used as it is when the argument is absent, and refused when somebody sends it", async () => {
  const { device, commands } = await setUp("Defaults");
  device.onCommand((command) => command.completed({ got: command.arguments }));
  const { body } = await commands.execute({ name: "limit", arguments: { note: "longer than its max" } });
  const effective = { power: 50, mode: "off", setup: [1], note: "longer than its max" };
  expect([body.execution.request.arguments, body.execution.response?.payload]).toEqual([effective, { got: effective }]);
  const refused = await commands.execute({ name: "limit", arguments: { power: 50, mode: "off", setup: [1] } });
  expect(refused.errors.map(({ details }) => details?.["pointer"])).toEqual([
    "/arguments/power",
    "/arguments/mode",
    "/arguments/setup",
  ]);
  const bytes = await busbar.admin.call<{ diagnostics: { code: string }[] }>("POST", "/v3/blueprints/validate", {
    bytes: MANIFEST,
  });
  const codes = new Set(bytes.body.diagnostics.map(({ code }) => code));
  expect([...codes].sort()).toEqual(["bounds_without_order", "default_not_in_enum", "default_out_of_range"]);
});

test("a declared response of another type is kept, and reported once in the device's log", async () => {
  const { device, commands, log } = await setUp("Responses");
  const answers = [
    { power: "much", mode: "off", host: "here", layout: {}, more: 1 },
    { power: "much", mode: "off", host: "here", layout: {} },
    { mode: "eco", layout: [] },
    { power: 1, mode: "boost", host: "192.0.2.7", layout: [1] },
  ];
  for (const answer of answers) {
    device.onCommand((command) => command.completed(answer));
    const { body } = await commands.execute({ name: "measure" });
    expect(body.execution).toMatchObject({ state: "SUCCESS", response: { payload: answer } });
  }
  await vi.waitFor(async () => expect(await log()).toHaveLength(4), PATIENT);
  await device.log("last");
  const all = await log();
  expect(all.slice(0, -1).toSorted()).toEqual([
    expect.stringContaining('response of measure: "host" must be written as ipv4'),
    expect.stringContaining('response of measure: "layout" does not fit its schema'),
    'response of measure: "mode" must be one of eco, boost, not "off"; it is kept as it came',
    'response of measure: "power" must be a number, not "much"; it is kept as it came',
  ]);
});

test("a response that not everybody may read is not repeated in the log", async () => {
  const { device, commands, log } = await setUp("Secret responses");
  device.onCommand((command) => command.completed({ pin: "s3cret" }));
  await commands.execute({ name: "audit" });
  await vi.waitFor(
    async () =>
      expect(await log()).toEqual([
        'response of audit: "pin" must be a whole number, not a text; it is kept as it came',
      ]),
    PATIENT,
  );
});

test("a property that does not fit its JSON schema or enum is left out and logged; the rest is kept, in order", async () => {
  const { deviceId, device, log } = await setUp("Properties");
  const properties = async () => (await busbar.admin.get(`/v3/devices/${deviceId}/properties`)).body;
  await device.sendProperties({ layout: { cells: "many" }, secret_layout: {}, rating: "B", serial: "S1" });
  expect(await properties()).toEqual({ properties: { serial: "S1" } });
  expect((await log()).toSorted()).toEqual([
    'property "layout" does not fit its schema: /cells must be integer',
    'property "rating" must be one of A, 2, not "B"',
    'property "secret_layout" does not fit its schema',
  ]);
  const fitting = { layout: { cells: 4 }, secret_layout: [], rating: 2, serial: "S2" };
  const sent = Array.from({ length: 200 }, (_, n) => device.sendProperties({ ...fitting, layout: { cells: n } }));
  await Promise.all([...sent, device.sendProperties(fitting)]);
  expect(await properties()).toEqual({ properties: fitting });
});
