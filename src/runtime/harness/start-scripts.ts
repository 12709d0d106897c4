import type { ScriptProgram } from "#core/lua/script-program.ts";
import type { RunNeeds } from "./run-scenario.ts";

/** Makes scripts of a program, as a gateway does it. */
export async function startScripts(_program: ScriptProgram): Promise<Pick<RunNeeds, "start" | "drivers">> {
  throw new Error("not yet");
}
