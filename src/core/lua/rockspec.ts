import type { EvaluateLua, LuaData, LuaTable } from "./lua-data.ts";
import { type Dependency, parseDependency } from "./rock-version.ts";

/** The content of a rockspec, as far as a rock made of Lua alone needs it. */
export interface Rockspec {
  readonly package: string;
  readonly version: string;
  readonly dependencies: readonly Dependency[];
  /** How it is built; `builtin` means that modules are copied as they are. */
  readonly buildType: string;
  /** Module to the file that holds it. Undefined: to be found among the files. */
  readonly modules: ReadonlyMap<string, string> | undefined;
  /** Modules that are not made of one Lua file, but of C. */
  readonly nativeModules: readonly string[];
  /** The folder of the sources in the archive, if the rockspec names one. */
  readonly sourceDir: string | undefined;
}

export type ReadRockspec =
  | { readonly rockspec: Rockspec; readonly problem: undefined }
  | { readonly rockspec: undefined; readonly problem: { readonly line: number; readonly message: string } };

/** A rockspec is a Lua text, so it is run. Never throws. */
export function readRockspec(evaluate: EvaluateLua, text: string): ReadRockspec {
  const { values, problem } = evaluate(text);
  const refuse = (message: string, line = 1) => ({ rockspec: undefined, problem: { line, message } });
  if (problem !== undefined) return refuse(problem.message, problem.line);
  const name = values.get("package");
  const version = values.get("version");
  if (typeof name !== "string" || name === "") return refuse("it does not name its package");
  if (typeof version !== "string" || version === "") return refuse("it does not say its version");
  const dependencies: Dependency[] = [];
  for (const item of tableOf(values.get("dependencies"))?.list ?? []) {
    const dependency = typeof item === "string" ? parseDependency(item) : undefined;
    if (dependency === undefined) return refuse(`${JSON.stringify(item)} is no dependency`);
    dependencies.push(dependency);
  }
  const build = tableOf(values.get("build"));
  const { modules, nativeModules } = modulesOf(build);
  const type = build?.fields.get("type");
  const dir = tableOf(values.get("source"))?.fields.get("dir");
  return {
    rockspec: {
      package: name.toLowerCase(),
      version,
      dependencies,
      buildType: typeof type === "string" ? type : "builtin",
      modules,
      nativeModules,
      sourceDir: typeof dir === "string" ? dir : undefined,
    },
    problem: undefined,
  };
}

function modulesOf(build: LuaTable | undefined): Pick<Rockspec, "modules" | "nativeModules"> {
  const declared = tableOf(build?.fields.get("modules"));
  const installed = tableOf(tableOf(build?.fields.get("install"))?.fields.get("lua"));
  if (declared === undefined && installed === undefined) return { modules: undefined, nativeModules: [] };
  const modules = new Map<string, string>();
  const nativeModules: string[] = [];
  for (const [module, file] of [...(declared?.fields ?? []), ...(installed?.fields ?? [])]) {
    if (typeof file === "string" && file.endsWith(".lua")) modules.set(module, file);
    else nativeModules.push(module);
  }
  // A file without a name is the module of its path.
  for (const file of [...(declared?.list ?? []), ...(installed?.list ?? [])]) {
    if (typeof file === "string" && file.endsWith(".lua")) modules.set(moduleOfFile(file), file);
  }
  return { modules, nativeModules };
}

function moduleOfFile(file: string): string {
  const path = file.replace(/^(?:src|lua|lib)\//, "").replace(/(?:\/init)?\.lua$/, "");
  return path.replaceAll("/", ".");
}

function tableOf(value: LuaData): LuaTable | undefined {
  return typeof value === "object" ? value : undefined;
}
