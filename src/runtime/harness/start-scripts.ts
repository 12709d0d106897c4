import type { ScriptProgram } from "#core/lua/script-program.ts";
import { createDrivers } from "#drivers/create-drivers.ts";
import { createDeviceScript } from "#runtime/lua/device-script.ts";
import { createLuaEngine } from "#runtime/lua/lua-engine.ts";
import type { RunNeeds } from "./run-scenario.ts";

/** Counted in instructions, so that it is the same on every machine. A gateway has more patience. */
const ACTIVITY_MS = 5_000;

/** Makes scripts of a program as a gateway does it, but for time: it stands still while a script computes. */
export function startScripts(program: ScriptProgram): Pick<RunNeeds, "start" | "drivers"> {
  const engine = createLuaEngine({ isVirtualTime: true, activityMs: ACTIVITY_MS });
  return { start: (host) => createDeviceScript(engine, program, host), drivers: createDrivers };
}
