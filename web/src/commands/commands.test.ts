import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { groupCommands, quickCommands, valuesFor } from "./command-groups.ts";
import { asCli, asCurl, asTypeScript } from "./copy-request.ts";

const manifest = readManifest({
  command_groups: { power: { display_name: "Power" }, empty: { display_name: "Empty" } },
  commands: {
    set: {
      group: "power",
      ui: { quick_access: true },
      arguments: {
        power: { type: "float" },
        note: { type: "string" },
        plan: { type: "json" },
        pin: { type: "string", sensitive: true },
      },
    },
    lost: { group: "no such group" },
  },
});
const command = manifest.commands.get("set");
if (command === undefined) throw new Error("the command is declared above");
const request = {
  origin: "http://gateway:8080",
  device: "battery-1",
  command,
  values: { power: 5.5, note: "it's me", plan: { a: [1] }, pin: "1234" },
  ephemeral: false,
};

test("commands stand in their groups, and those without one at the end", () => {
  expect(groupCommands(manifest).map(({ group, commands }) => [group?.id, commands.map(({ id }) => id)])).toEqual([
    ["power", ["set"]],
    [undefined, ["lost"]],
  ]);
  expect(quickCommands(manifest).map(({ id }) => id)).toEqual(["set"]);
});

test("only values of declared arguments are taken over", () => {
  expect({ ...valuesFor(command, { power: 1, note: null, other: 2 }) }).toEqual({ power: 1 });
});

test("a command is copied for curl without its secrets", () => {
  expect(asCurl(request)).toBe(
    `curl -sS http://gateway:8080/v3/devices/battery-1/commands/execute \\
  -H "X-Service-Auth-Token: $BUSBAR_TOKEN" \\
  -d '{"name":"set","arguments":{"power":5.5,"note":"it'\\''s me","plan":{"a":[1]},"pin":"<pin>"}}'`,
  );
});

test("a command is copied for the command line, which asks for secrets", () => {
  expect(asCli({ ...request, ephemeral: true })).toBe(
    `busbar run battery-1 set power=5.5 'note=it'\\''s me' plan:='{"a":[1]}' pin --ephemeral`,
  );
  expect(asCli({ ...request, values: { note: "@file" } })).toBe(`busbar run battery-1 set note:='"@file"'`);
});

test("a command is copied as TypeScript without its secrets", () => {
  const text = asTypeScript(request);
  expect(text).toContain('"note": "it\'s me"');
  expect(text).not.toContain("1234");
});
