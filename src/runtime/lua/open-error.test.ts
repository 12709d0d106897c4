import { expect, test } from "vitest";
import { openError } from "./open-error.ts";
import type { ScriptError } from "./script-host.ts";

test.each<[string, ScriptError, ScriptError]>([
  ["of a job", { message: "boom", file: "a.lua", line: 1 }, { message: "boom", file: "a.lua", line: 1 }],
  [
    "of a handler",
    { message: "a.lua:1: pin 1234", file: "a.lua", line: 1, traceback: "pin 1234", command: "unlock" },
    { message: "a.lua:1: the handler of command unlock failed; its execution says why", file: "a.lua", line: 1 },
  ],
  [
    "of a handler without a place",
    { message: "pin 1234", command: "unlock" },
    { message: "the handler of command unlock failed; its execution says why" },
  ],
  [
    "of a limit",
    { message: "not enough memory", byLimit: true, command: "unlock" },
    { message: "not enough memory", byLimit: true, command: "unlock" },
  ],
])("what everyone may know of an error %s", (_, error, expected) => {
  expect(openError(error)).toEqual(expected);
});
