import type { ScriptProgram } from "#core/lua/script-program.ts";
import { ALL_DRIVERS } from "./all-drivers.ts";

/** Names under which the host's own tables can be required, unless the program has a file of that name. */
const LIBRARIES: ReadonlySet<string> = new Set([
  ..."enapter device scheduler configuration storage system json".split(" "),
  ...ALL_DRIVERS.flatMap(({ libraries }) => libraries),
  ..."_G coroutine math os string table utf8".split(" "),
]);

/** Modules that Busbar itself has, whatever the program. */
const BUILT_IN: ReadonlySet<string> = new Set(["busbar.v1"]);
/** Tables that only the host of device/1.0 has. */
const V1_LIBRARIES: ReadonlySet<string> = new Set(
  "modbustcp modbusrtu rs485 rs232 rl6 rl di7 ai4 led ucm inspect".split(" "),
);

export type FoundModule =
  | { readonly path: string }
  | { readonly library: string }
  /** Each place that was looked at, one a line, as Lua's own message has it. */
  | { readonly tried: string };

/**
 * Where `require(name)` leads. `x`, `./x`, `a.b`, `a/b` and a full file name are tried beside the file that asks, then
 * beside the entry, then from the root, where the modules of rocks lie.
 */
export function findModule(
  program: Pick<ScriptProgram, "entry" | "host"> & { readonly modules: Pick<ScriptProgram["modules"], "has"> },
  name: string,
  folder: string,
): FoundModule {
  const tried: string[] = [];
  for (const base of new Set([folder, folderOf(program.entry), ""])) {
    for (const tail of tails(name)) {
      const path = normalize(`${base}${tail}`);
      if (path !== undefined && program.modules.has(path)) return { path };
      tried.push(`\n\tno file '${base}${tail}'`);
    }
  }
  const isLibrary = LIBRARIES.has(name) || BUILT_IN.has(name) || (program.host === "v1" && V1_LIBRARIES.has(name));
  return isLibrary ? { library: name } : { tried: tried.join("") };
}

/** With its slash; empty at the root. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function tails(name: string): string[] {
  const plain = name.replace(/^\.\//, "");
  const dotted = plain.startsWith("../") ? plain : plain.replaceAll(".", "/");
  const files = [...new Set([dotted, plain])].flatMap((base) => [`${base}.lua`, `${base}/init.lua`]);
  return plain.endsWith(".lua") ? [plain, ...files] : files;
}

/** Undefined for a path that climbs out of the package. */
function normalize(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
