import { expect, test } from "vitest";
import type { DeviceScript, ScriptCommand, ScriptError, ScriptHost, ScriptProgram } from "./device-script.ts";

test("a program holds its entry", () => {
  const program: ScriptProgram = { entry: "main.lua", modules: new Map([["main.lua", ""]]), nodebug: false };
  const parts: { host?: ScriptHost; script?: DeviceScript; command?: ScriptCommand; error?: ScriptError } = {};
  expect(program.modules.has(program.entry) && parts.host === undefined).toBe(true);
});
