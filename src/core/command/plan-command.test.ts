import { expect, test } from "vitest";
import { ACCESS_LEVELS, type AccessLevel } from "#core/access/level.ts";
import { AppError } from "#core/app-error.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { commandManifest } from "../../../test/support/command-site.ts";
import { findCommand, hideSensitive, planCommand } from "./plan-command.ts";

const { blueprint } = parseManifest(commandManifest("Planned"));
if (blueprint === undefined) throw new Error("the manifest of the tests is not valid");

function plan(name: string, args: object = {}, level: AccessLevel = "system") {
  if (blueprint === undefined) throw new Error("no blueprint");
  const input = { name, arguments: args as Record<string, unknown>, ephemeral: false };
  return planCommand(blueprint, level, { input, checkJson: () => () => undefined });
}

function refusal(run: () => unknown): AppError {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error("nothing was refused");
}

test("a command is found by its name and by each alias", () => {
  for (const name of ["start", "go", "launch"]) expect(findCommand(blueprint, name).id).toBe("start");
});

test.each(["Start", "", "constructor", "__proto__", "hasOwnProperty"])("%j is no command", (name) => {
  expect(refusal(() => findCommand(blueprint, name))).toMatchObject({ code: "command_not_found" });
});

test("a misspelt command names the nearest, and a long name is cut", () => {
  expect(refusal(() => plan("strat")).message).toContain("did you mean start?");
  expect(refusal(() => plan("x".repeat(5_000))).message.length).toBeLessThan(200);
});

test("the level is asked for before anything is said about the arguments", () => {
  const run = (level: AccessLevel) => refusal(() => plan("service", { unknown: 1 }, level)).code;
  expect(ACCESS_LEVELS.map(run)).toEqual([
    "forbidden",
    "forbidden",
    "forbidden",
    "invalid_arguments",
    "invalid_arguments",
    "invalid_arguments",
  ]);
});

test("the plan has the effective arguments", () => {
  expect(plan("go", { power: 7 })).toMatchObject({ command: { id: "start" }, arguments: { power: 7, mode: "eco" } });
});

test("every wrong argument is reported with its place, at most twenty of them", () => {
  const { refusals } = refusal(() => plan("start", { power: -1, "a/b~": 1 }));
  expect(refusals.map(({ code, details }) => [code, details])).toEqual([
    ["invalid_arguments", { pointer: "/arguments/a~1b~0" }],
    ["invalid_arguments", { pointer: "/arguments/power" }],
  ]);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x${n}`, n]));
  expect(refusal(() => plan("start", many)).refusals).toHaveLength(20);
});

test("sensitive values are hidden, whatever they are, and the others stay", () => {
  const { command } = plan("unlock");
  const shown = hideSensitive(command, { door: "north", pin: "4711", keys: { a: ["4711"] } });
  expect({ ...shown }).toEqual({ door: "north", pin: "***", keys: "***" });
  expect(Object.getPrototypeOf(shown)).toBeNull();
});
