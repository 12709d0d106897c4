import { readFileSync } from "node:fs";
import { ALL_DRIVERS } from "./all-drivers.ts";

/** The Lua part of each driver, which defines its libraries. */
export function readPreludes(): readonly string[] {
  return ALL_DRIVERS.map(({ name }) => readFileSync(new URL(`./${name}/prelude.lua`, import.meta.url), "latin1"));
}
