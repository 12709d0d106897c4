import { describe, expect, test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { diffBlueprints } from "./diff-blueprints.ts";

const HEAD = "blueprint_spec: device/3.0\ndisplay_name: Test\n";
const TAIL = "\nruntime: {type: embedded}\n";

function blueprint(body: string) {
  const text = `${body.includes("display_name: Other") ? "blueprint_spec: device/3.0\n" : HEAD}${body}${body.includes("runtime:") ? "" : TAIL}`;
  const { blueprint: built, issues } = parseManifest(text);
  if (built === undefined) throw new Error(JSON.stringify(issues));
  return built;
}

/** One line per change: `!` marks what breaks. */
function diff(old: string, next: string): readonly string[] {
  return diffBlueprints(blueprint(old), blueprint(next)).changes.map(
    ({ kind, breaking, path, message }) => `${breaking ? "!" : " "}${kind} ${path} ${message}`,
  );
}

type Case = readonly [title: string, old: string, next: string, expected: readonly string[]];

const attribute = (body: string) => `telemetry: {power: {type: float, display_name: Power${body}}}`;
const POWER = "/telemetry/power Telemetry attribute power:";

describe("attributes", () => {
  test.each<Case>([
    ["nothing", attribute(""), attribute(""), []],
    ["added", "", attribute(""), [` added ${POWER} added.`]],
    ["removed", attribute(""), "", [`!removed ${POWER} removed.`]],
    [
      "type",
      attribute(""),
      "telemetry: {power: {type: integer, display_name: Power}}",
      [`!retyped ${POWER} type changed from float to integer.`],
    ],
    ["unit", attribute(", unit: W"), attribute(", unit: kW"), [`!changed ${POWER} unit changed from W to kW.`]],
    ["unit added", attribute(""), attribute(", unit: W"), [` changed ${POWER} unit W added.`]],
    ["unit removed", attribute(", unit: W"), attribute(""), [`!changed ${POWER} unit W removed.`]],
    [
      "higher level",
      attribute(""),
      attribute(", access_level: owner"),
      [`!access ${POWER} reading it now needs owner, before readonly.`],
    ],
    [
      "lower level",
      attribute(", access_level: owner"),
      attribute(", access_level: user"),
      [` access ${POWER} reading it now needs user, before owner.`],
    ],
    ["alias added", attribute(""), attribute(", aliases: p"), [` changed ${POWER} also answers to p.`]],
    [
      "alias removed",
      attribute(", aliases: [p, q]"),
      attribute(", aliases: p"),
      [`!changed ${POWER} no longer answers to q.`],
    ],
    [
      "name",
      attribute(""),
      "telemetry: {power: {type: float, display_name: P}}",
      [` text ${POWER} display name changed from "Power" to "P".`],
    ],
    ["description", attribute(""), attribute(", description: D"), [` text ${POWER} description added.`]],
    [
      "scales",
      attribute(", unit: W, auto_scale: [W]"),
      attribute(", unit: W, auto_scale: [W, kW]"),
      [` text ${POWER} scales changed from "W" to "W, kW".`],
    ],
    [
      "renamed with the old name as alias",
      attribute(""),
      "telemetry: {p_ac: {type: float, display_name: Power, aliases: power}}",
      [` renamed ${POWER} renamed to p_ac; the old name still works.`],
    ],
    [
      "renamed and retyped",
      attribute(""),
      "telemetry: {p_ac: {type: string, display_name: Power, aliases: power}}",
      [
        "!retyped /telemetry/p_ac Telemetry attribute p_ac: type changed from float to string.",
        ` renamed ${POWER} renamed to p_ac; the old name still works.`,
      ],
    ],
    [
      "removed, its name given to a neighbour",
      "telemetry: {power: {type: float, display_name: Power}, b: {type: float, display_name: B}}",
      "telemetry: {b: {type: float, display_name: B, aliases: power}}",
      [
        `!removed ${POWER} removed; its name now means b.`,
        " changed /telemetry/b Telemetry attribute b: also answers to power.",
      ],
    ],
    [
      "ids such as constructor",
      "telemetry: {constructor: {type: float, display_name: C}}",
      "telemetry: {toString: {type: float, display_name: T}}",
      [
        "!removed /telemetry/constructor Telemetry attribute constructor: removed.",
        " added /telemetry/toString Telemetry attribute toString: added.",
      ],
    ],
  ])("%s", (_, old, next, expected) => {
    expect(diff(old, next)).toEqual(expected);
  });

  test.each<Case>([
    [
      "schema of a property",
      "properties: {a: {type: json, display_name: A}}",
      'properties: {a: {type: json, display_name: A, json_schema: \'{"type":"array"}\'}}',
      ["!changed /properties/a Property a: is checked by a JSON schema now."],
    ],
    [
      "schema dropped",
      'properties: {a: {type: json, display_name: A, json_schema: \'{"type":"array"}\'}}',
      "properties: {a: {type: json, display_name: A}}",
      [" changed /properties/a Property a: is no longer checked by a JSON schema."],
    ],
  ])("%s", (_, old, next, expected) => {
    expect(diff(old, next)).toEqual(expected);
  });
});

describe("enums", () => {
  const mode = (body: string) => `telemetry: {m: {type: string, display_name: M${body}}}`;
  const M = "/telemetry/m Telemetry attribute m:";
  test.each<Case>([
    ["more values", mode(", enum: [a]"), mode(", enum: [a, b, c]"), [` changed ${M} b, c newly allowed.`]],
    ["fewer values", mode(", enum: [a, b]"), mode(", enum: [a]"), [`!changed ${M} b no longer allowed.`]],
    ["an enum at last", mode(""), mode(", enum: [a, b]"), [`!changed ${M} only the values a, b are allowed now.`]],
    [
      "no enum any more",
      mode(", enum: [a]"),
      mode(""),
      [` changed ${M} any value is allowed now, not only those of an enum.`],
    ],
    [
      "colours",
      mode(", enum: {a: {color: red}}"),
      mode(", enum: {a: {color: blue}}"),
      [` text ${M} names, descriptions or colours of its values changed.`],
    ],
    ["list and object say the same", mode(", enum: [a]"), mode(", enum: {a: {}}"), []],
  ])("%s", (_, old, next, expected) => {
    expect(diff(old, next)).toEqual(expected);
  });
});

describe("commands", () => {
  const groups = "command_groups: {g: {display_name: G}, h: {display_name: H}}\n";
  const command = (body: string) => `${groups}commands: {go: {group: g, display_name: Go${body}}}`;
  const argument = (body: string) => command(`, arguments: {x: {type: integer, display_name: X${body}}}`);
  const response = (body: string) => command(`, response: {y: {type: float${body}}}`);
  const GO = "/commands/go Command go:";
  const X = "/commands/go/arguments/x Command go, argument x:";
  const Y = "/commands/go/response/y Command go, response field y:";
  test.each<Case>([
    ["added", groups, command(""), [` added ${GO} added.`]],
    ["removed", command(""), groups, [`!removed ${GO} removed.`]],
    [
      "renamed",
      command(""),
      `${groups}commands: {run: {group: g, display_name: Go, aliases: go}}`,
      [` renamed ${GO} renamed to run; the old name still works.`],
    ],
    [
      "higher level, which is also that of reading",
      command(""),
      command(", access_level: installer"),
      [
        `!access ${GO} running it now needs installer, before user.`,
        `!access ${GO} reading its executions now needs installer, before user.`,
      ],
    ],
    [
      "asks first",
      command(""),
      command(", confirmation: {severity: info, title: Sure?}"),
      [` changed ${GO} asks first (info).`, ` text ${GO} question before it runs added.`],
    ],
    [
      "another group",
      command(""),
      `${groups}commands: {go: {group: h, display_name: Go}}`,
      [` text ${GO} group changed from "g" to "h".`],
    ],
    [
      "quick access",
      command(""),
      command(", ui: {quick_access: true}"),
      [` text ${GO} quick access changed from "no" to "yes".`],
    ],
    ["pre-filled", command(""), command(", populate_values_command: go"), [` changed ${GO} is pre-filled by go.`]],

    ["optional argument", command(""), argument(""), [` added ${X} added.`]],
    ["required argument", command(""), argument(", required: true"), [`!added ${X} added, and it is required.`]],
    ["required argument with a default", command(""), argument(", required: true, default: 1"), [` added ${X} added.`]],
    ["argument removed", argument(""), command(""), [`!removed ${X} removed.`]],
    ["argument becomes required", argument(""), argument(", required: true"), [`!changed ${X} is required now.`]],
    ["argument becomes optional", argument(", required: true"), argument(""), [` changed ${X} is no longer required.`]],
    [
      "wider type",
      argument(""),
      command(", arguments: {x: {type: float, display_name: X}}"),
      [` retyped ${X} type changed from integer to float.`],
    ],
    [
      "other type",
      argument(""),
      command(", arguments: {x: {type: string, display_name: X}}"),
      [`!retyped ${X} type changed from integer to string.`],
    ],
    ["default", argument(", default: 1"), argument(", default: 2"), [` changed ${X} default changed from 1 to 2.`]],
    [
      "tighter range",
      argument(", min: 0, max: 10"),
      argument(", min: 1, max: 9"),
      [`!changed ${X} minimum changed from 0 to 1.`, `!changed ${X} maximum changed from 10 to 9.`],
    ],
    [
      "wider range",
      argument(", min: 0, max: 10"),
      argument(", max: 11"),
      [` changed ${X} minimum changed from 0 to none.`, ` changed ${X} maximum changed from 10 to 11.`],
    ],
    [
      "unit of an argument",
      argument(", unit: W"),
      argument(", unit: kW"),
      [`!changed ${X} unit changed from W to kW.`],
    ],
    ["secret", argument(""), argument(", sensitive: true"), [` changed ${X} is kept secret now.`]],

    ["response field added", command(""), response(""), [` added ${Y} added.`]],
    ["response field removed", response(""), command(""), [`!removed ${Y} removed.`]],
    ["response field may be absent", response(", required: true"), response(""), [`!changed ${Y} may be absent now.`]],
    ["response field always there", response(""), response(", required: true"), [` changed ${Y} is always there now.`]],
    [
      "narrower answer",
      response(""),
      command(", response: {y: {type: integer}}"),
      [` retyped ${Y} type changed from float to integer.`],
    ],
    [
      "odd names of response fields",
      command(", response: {a/b~c: {type: float}}"),
      command(""),
      ["!removed /commands/go/response/a~1b~0c Command go, response field a/b~c: removed."],
    ],
  ])("%s", (_, old, next, expected) => {
    expect(diff(old, next)).toEqual(expected);
  });
});

describe("the rest", () => {
  const alert = (body: string) => `alerts: {hot: {severity: warning, display_name: Hot${body}}}`;
  const HOT = "/alerts/hot Alert hot:";
  const bucket = (body: string) =>
    `configuration: {net: {display_name: Net${body}, parameters: {host: {type: string, display_name: Host}}}}`;
  test.each<Case>([
    ["alert added", "", alert(""), [` added ${HOT} added.`]],
    [
      "alert removed",
      alert(""),
      "",
      [`!removed ${HOT} removed; a device that still reports it raises an error without a name.`],
    ],
    [
      "alert severity",
      alert(""),
      "alerts: {hot: {severity: error, display_name: Hot}}",
      [` changed ${HOT} severity changed from warning to error.`],
    ],
    [
      "alert patience",
      alert(""),
      alert(", grace_period: 2m30s"),
      [` changed ${HOT} grace period changed from 0s to 2m30s.`],
    ],
    ["alert help", alert(""), alert(", troubleshooting: [Cool it.]"), [` text ${HOT} troubleshooting added.`]],
    ["bucket added", "", bucket(""), [" added /configuration/net Configuration net: added."]],
    [
      "bucket removed",
      bucket(""),
      "",
      ["!removed /configuration/net Configuration net: removed; its values stay stored and are no longer used."],
    ],
    [
      "bucket level",
      bucket(""),
      bucket(", access_level: vendor"),
      ["!access /configuration/net Configuration net: reading and writing it now needs vendor, before user."],
    ],
    [
      "parameter",
      bucket(""),
      "configuration: {net: {display_name: Net, parameters: {port: {type: integer, display_name: Port, required: true}}}}",
      [
        "!removed /configuration/net/parameters/host Configuration net, parameter host: removed.",
        "!added /configuration/net/parameters/port Configuration net, parameter port: added, and it is required.",
      ],
    ],
    ["profile gained", "", "implements: energy.battery", [" added /implements Device: implements energy.battery."]],
    ["profile lost", "implements: [a, b]", "implements: a", ["!removed /implements Device: no longer implements b."]],
    ["profile out of draft", "implements_draft: a", "implements: a", []],
    [
      "runtime",
      "runtime: {type: embedded}",
      "runtime: {type: lua, options: {file: a.lua}}",
      ["!changed /runtime/type Device: runtime changed from embedded to lua."],
    ],
    [
      "script",
      "runtime: {type: lua, options: {file: a.lua}}",
      "runtime: {type: lua, options: {file: b.lua}}",
      [" changed /runtime Device: runtime options changed."],
    ],
    ["device name", "", "display_name: Other", [' text  Device: display name changed from "Test" to "Other".']],
    [
      "custom unit",
      "units: {x: {symbol: X}}",
      "units: {x: {symbol: Y}}",
      [' text /units/x Unit x: symbol changed from "X" to "Y".'],
    ],
  ])("%s", (_, old, next, expected) => {
    expect(diff(old, next)).toEqual(expected);
  });

  test("what breaks comes first and decides the whole", () => {
    const next = `${attribute(", aliases: x")}\nalerts: {hot: {severity: info, display_name: H}}`;
    const { changes, isBreaking } = diffBlueprints(blueprint(`${attribute(", aliases: y")}`), blueprint(next));
    expect(changes.map(({ breaking }) => breaking)).toEqual([true, false, false]);
    expect(isBreaking).toBe(true);
    expect(diffBlueprints(blueprint(""), blueprint(next)).isBreaking).toBe(false);
  });
});
