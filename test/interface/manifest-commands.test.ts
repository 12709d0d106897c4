// The blueprint manifest: commands, arguments and responses.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith, validator } from "../support/validate.ts";
import { luaDevice, luaManifest } from "./lua.ts";

const site = useSite();
const { busbar } = site;
const { found, refused } = validator(busbar);

const GROUPS = "command_groups: {g: {display_name: G}}\n";
const command = (more: string) => `${GROUPS}commands: {a: {group: g, display_name: A, ${more}}}`;
const argument = (more: string) => command(`arguments: {x: {display_name: X, ${more}}}`);
const response = (more: string) => command(`response: {x: {${more}}}`);

check("command-items.group-fields", async () => {
  const right = ["command_groups: {g: {display_name: G, description: D, ui: {icon: power}}}"];
  const wrong = [
    "command_groups: {g: {}}",
    "command_groups: {g: {display_name: G, ui: {icon: 5}}}",
    "command_groups: {g: {display_name: G, icon: power}}",
  ];
  expect(await refused([...right, ...wrong])).toEqual(wrong);
});

check("command-items.command-required", async () => {
  expect(await found(manifestWith(`${GROUPS}commands: {a: {group: g}}`))).toEqual(["error missing_key /commands/a"]);
  expect(await found(manifestWith(`${GROUPS}commands: {a: {display_name: A}}`))).toEqual([
    "error missing_key /commands/a",
  ]);
});

check("command-items.group-exists", async () => {
  const text = manifestWith(`${GROUPS}commands: {a: {group: other, display_name: A}}`);
  expect(await found(text)).toEqual(["error unknown_group /commands/a/group"]);
});

check("command-items.command-fields", async () => {
  const right = command(
    "description: D, implements: [a.b], aliases: b, arguments: {x: {type: string, display_name: X}}, response: {y: {type: float}}",
  );
  const wrong = [command("description: 5"), command("arguments: [x]"), command("response: [y]")];
  expect(await refused([right, ...wrong])).toEqual(wrong);
});

check("command-items.command-ui", async () => {
  const wrong = [command("ui: {icon: 5}"), command("ui: {quick_access: maybe}"), command("ui: {color: red}")];
  expect(await refused([command("ui: {icon: power, quick_access: true}"), ...wrong])).toEqual(wrong);
});

check("command-items.command-confirmation", async () => {
  const right = ["severity: info, title: T", "severity: warning, title: T, description: D"];
  const wrong = ["title: T", "severity: info", "severity: error, title: T", "severity: info, title: 5"];
  const of = (fields: string) => command(`confirmation: {${fields}}`);
  expect(await refused([...right, ...wrong].map(of))).toEqual(wrong.map(of));
});

check("command-items.command-levels", async () => {
  const device = await site.device(manifestWith(command("access_level: owner, read_access_level: vendor")));
  const [user, owner, vendor] = [await site.user("user"), await site.user("owner"), await site.user("vendor")];
  expect((await device.as(user).create({ name: "a" })).status).toBe(403);
  const { status, body } = await device.as(owner).create({ name: "a" });
  expect(status).toBe(200);
  expect((await device.as(owner).get(body.execution_id)).status).toBe(403);
  expect((await device.as(vendor).get(body.execution_id)).status).toBe(200);
});

check("command-items.populate-values", async () => {
  const of = (name: string) =>
    manifestWith(
      `${GROUPS}commands: {read: {group: g, display_name: R}, write: {group: g, display_name: W, populate_values_command: ${name}}}`,
    );
  expect(await found(of("read"))).toEqual([]);
  expect(await found(of("reed"))).toEqual(["error unknown_command /commands/write/populate_values_command"]);
});

check("command-items.argument-names", async () => {
  const of = (name: string) => command(`arguments: {"${name}": {type: string, display_name: X}}`);
  const wrong = ["9x", "x-y", "_x"].map(of);
  expect(await refused([...["x", "X9_", "constructor"].map(of), ...wrong])).toEqual(wrong);
});

check("command-items.argument-required", async () => {
  const of = (fields: string) => manifestWith(command(`arguments: {x: {${fields}}}`));
  expect(await found(of("type: string"))).toEqual(["error missing_key /commands/a/arguments/x"]);
  expect(await found(of("display_name: X"))).toEqual(["error missing_key /commands/a/arguments/x"]);
});

check("command-items.argument-fields", async () => {
  const right = [
    argument("type: float, description: D, required: true, min: 0, max: 10, default: 5, unit: kW"),
    argument("type: string, enum: [a, b], format: email, sensitive: true"),
    argument(`type: json, json_schema: '{"type": "object"}'`),
    argument("type: boolean, default: true"),
  ];
  const wrong = [
    argument("type: float, required: maybe"),
    argument("type: float, min: low"),
    argument("type: float, max: [1]"),
    argument("type: string, format: 5"),
    argument("type: string, sensitive: maybe"),
    argument("type: string, default: [a]"),
    argument("type: float, unit: 5"),
  ];
  expect(await refused([...right, ...wrong])).toEqual(wrong);
});

check("command-items.argument-default", async () => {
  const device = await site.device(manifestWith(argument("type: integer, default: 7")));
  const mqtt = await device.connect();
  mqtt.onCommand((one) => one.completed());
  await device.execute({ name: "a" });
  await device.execute({ name: "a", arguments: { x: 1 } });
  expect(mqtt.commands.map((one) => one.arguments)).toEqual([{ x: 7 }, { x: 1 }]);
});

check("command-items.arguments-are-named", async () => {
  const device = await luaDevice(site, {
    "manifest.yml": luaManifest("file: main.lua", argument("type: integer")),
    "main.lua": 'enapter.register_command_handler("a", function(ctx, args) return { twice = args.x * 2 } end)',
  });
  const { body } = await device.execute({ name: "a", arguments: { x: 21 } });
  expect(body.execution.response?.payload).toEqual({ twice: 42 });
});

check("command-items.method-by-id", async () => {
  const device = await luaDevice(site, {
    "manifest.yml": luaManifest("file: main.lua", command("aliases: other")),
    "main.lua": 'enapter.register_command_handler("a", function() return { by = "a" } end)',
  });
  const { body } = await device.execute({ name: "other" });
  expect(body.execution.response?.payload).toEqual({ by: "a" });
});

check("command-items.response-required", async () => {
  const any = command('response: {"any name, 9!": {type: float}}');
  const none = response("display_name: X");
  expect(await refused([any, none])).toEqual([none]);
});

check("command-items.response-fields", async () => {
  const right = [
    response("type: float, display_name: X, description: D, required: true, unit: W"),
    response("type: string, enum: [a], format: email"),
    response(`type: json, json_schema: '{"type": "array"}'`),
  ];
  const wrong = [response("type: float, min: 1"), response("type: float, required: maybe"), response("type: alerts")];
  expect(await refused([...right, ...wrong])).toEqual(wrong);
});
