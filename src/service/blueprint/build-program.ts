// The Lua files of a package and the rocks that it asks for, put together as one program. Pure: what there is comes in,
// and nothing is run.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type ScriptFinding, type ScriptIssue, scriptIssue } from "#core/blueprint/script-issue.ts";
import { parseDependency } from "#core/lua/rock-version.ts";
import { type Rockspec, readRockspec } from "#core/lua/rockspec.ts";
import { scanRequires } from "#core/lua/scan-requires.ts";
import { moduleCandidates, type ScriptProgram } from "#core/lua/script-program.ts";
import { packagePath } from "#manifest/package-path.ts";
import { rangeAt } from "#manifest/range-at.ts";
import { decodeText, type Package } from "#service/blueprint/unpack-package.ts";
import { chooseRocks, type WantedRock } from "#service/rock/choose-rocks.ts";
import type { RockShelf } from "#service/rock/rock-shelf.ts";

export interface BuiltProgram {
  /** Undefined when there is an error among the issues, or no script at all. */
  readonly program: ScriptProgram | undefined;
  /** The folder of the package in which the program's own modules lie; empty, or with its slash. */
  readonly folder: string;
  readonly issues: readonly ScriptIssue[];
}

type Modules = Map<string, Uint8Array>;
type SyntaxCheck = (
  path: string,
  source: Uint8Array,
) => { readonly line: number; readonly message: string } | undefined;

interface Surroundings {
  /** Undefined where nobody knows the operator's rocks: then nothing is said about them. */
  readonly shelf: RockShelf | undefined;
  readonly checkSyntax: SyntaxCheck;
}

/** The blueprint is the package's own, without errors. Never throws. */
export function buildProgram(content: Package, blueprint: Blueprint, around: Surroundings): BuiltProgram {
  const { options } = blueprint.runtime;
  const path = packagePath(options.file ?? (options.dir === undefined ? "" : `${options.dir}/main.lua`));
  if (path === undefined || !content.files.has(path)) return { program: undefined, folder: "", issues: [] };
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const entry = path.slice(folder.length);
  const issues: ScriptIssue[] = [];

  const own = luaFilesIn(content.files, folder);
  const { wanted, spec } = readWanted(content, blueprint, issues);
  addOwnSpec(own, { content, folder, spec });
  const rocks: Modules = new Map();
  const isKnown = around.shelf !== undefined || (wanted.length === 0 && issues.length === 0);
  if (around.shelf !== undefined) {
    const chosen = chooseRocks(around.shelf, wanted, options.allowDevLuarocks);
    issues.push(...chosen.problems.map(({ code, message, place }) => ({ ...place, code, message })));
    for (const rock of chosen.rocks) {
      for (const [module, source] of rock.modules) if (!rocks.has(module)) rocks.set(module, source);
    }
  }

  const all: Modules = new Map([...rocks, ...own]);
  const shownPath = (module: string) => (own.has(module) ? folder + module : module);
  const found = reach(all, entry);
  if (isKnown)
    issues.push(...found.missing.map(({ finding, line }) => scriptIssue(withPath(finding, shownPath), line)));
  const modules = options.amalgMode.includes("isolate") ? all : found.modules;
  if (modules !== all) {
    issues.push(...found.dynamic.map(({ finding, line }) => scriptIssue(withPath(finding, shownPath), line)));
  }
  for (const [module, source] of modules) {
    const problem = around.checkSyntax(shownPath(module), source);
    if (problem === undefined) continue;
    issues.push(scriptIssue({ code: "lua_syntax", path: shownPath(module), message: problem.message }, problem.line));
  }
  const isSound = issues.every(({ severity }) => severity !== "error");
  return {
    program: isSound ? { entry, modules, nodebug: options.amalgMode.includes("nodebug") } : undefined,
    folder,
    issues,
  };
}

function luaFilesIn(files: Package["files"], folder: string): Modules {
  const found: Modules = new Map();
  for (const [path, source] of files) {
    if (path.startsWith(folder) && path.endsWith(".lua")) found.set(path.slice(folder.length), source);
  }
  return found;
}

type Place = Pick<ScriptIssue, "severity" | "path" | "range">;

/** What the manifest asks for, by itself or by its rockspec. */
function readWanted(
  { files, manifest }: Package,
  { runtime: { options } }: Blueprint,
  issues: ScriptIssue[],
): { readonly wanted: readonly WantedRock<Place>[]; readonly spec: Rockspec | undefined } {
  if (options.rockspec === undefined) {
    const wanted = options.luarocks.flatMap((text, i) => {
      const at = ["runtime", "options", "luarocks", i];
      const place = { severity: "error", path: `/${at.join("/")}`, range: rangeAt(manifest, at) } as const;
      const dependency = parseDependency(text);
      if (dependency !== undefined) return [{ dependency, place }];
      const message = `${JSON.stringify(text)} is no dependency. Write a rock's name and versions, such as "inspect >= 3.1".`;
      issues.push({ ...place, code: "rock_dependency", message });
      return [];
    });
    return { wanted, spec: undefined };
  }
  const path = packagePath(options.rockspec) ?? "";
  const text = decodeText(files.get(path) ?? new Uint8Array());
  const { rockspec, problem } =
    text === undefined
      ? { rockspec: undefined, problem: { line: 1, message: "it is not UTF-8 text" } }
      : readRockspec(text);
  if (rockspec === undefined) {
    const message = `The rockspec cannot be read: ${problem.message}.`;
    issues.push(scriptIssue({ code: "rockspec_invalid", path, message }, problem.line));
    return { wanted: [], spec: undefined };
  }
  const start = { line: 1, column: 1 };
  const place = { severity: "error", path, range: { start, end: start } } as const;
  return { wanted: rockspec.dependencies.map((dependency) => ({ dependency, place })), spec: rockspec };
}

/** Modules that the package's own rockspec names, where their files are not already where `require` looks. */
function addOwnSpec(
  own: Modules,
  {
    content,
    folder,
    spec,
  }: { readonly content: Package; readonly folder: string; readonly spec: Rockspec | undefined },
): void {
  for (const [module, file] of spec?.modules ?? []) {
    const source = content.files.get(packagePath(file) ?? "") ?? content.files.get(folder + file);
    const isThere = moduleCandidates(module).some((path) => own.has(path));
    if (source !== undefined && !isThere) own.set(`${module.replaceAll(".", "/")}.lua`, source);
  }
}

interface Noticed {
  readonly finding: ScriptFinding;
  readonly line: number;
}

/** The modules that the entry reaches by `require`. */
function reach(all: ReadonlyMap<string, Uint8Array>, entry: string) {
  const modules: Modules = new Map();
  const missing: Noticed[] = [];
  const dynamic: Noticed[] = [];
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = all.get(path);
    if (source === undefined || modules.has(path)) continue;
    modules.set(path, source);
    const { needed, wished, unknownAt } = scanRequires(LATIN.decode(source));
    for (const { name, line } of needed) {
      const target = moduleCandidates(name).find((candidate) => all.has(candidate));
      if (target !== undefined) waiting.push(target);
      else if (!BUILT_IN.has(name)) {
        const message = `The module ${JSON.stringify(name)} is neither in the package nor in a rock that it asks for.`;
        missing.push({ finding: { code: "lua_module_missing", path, message }, line });
      }
    }
    for (const { name } of wished) waiting.push(...moduleCandidates(name).filter((candidate) => all.has(candidate)));
    for (const line of unknownAt) {
      const message =
        "Which module this requires is known only when it runs; it is left out unless something else requires it. Name it, or set amalg_mode: isolate.";
      dynamic.push({ finding: { code: "lua_dynamic_require", path, message }, line });
    }
  }
  return { modules, missing, dynamic };
}

function withPath(finding: ScriptFinding, shownPath: (module: string) => string): ScriptFinding {
  return { ...finding, path: shownPath(finding.path) };
}

/** One character a byte, whatever the bytes are: names of modules are ASCII. */
const LATIN = new TextDecoder("latin1");

/** What `require` gives without a file. */
const BUILT_IN: ReadonlySet<string> = new Set([
  ...["_G", "coroutine", "math", "os", "string", "table", "utf8"],
  ...["analogin", "analogout", "can", "configuration", "device", "digitalin", "digitalout", "enapter", "http", "json"],
  ...["modbus", "mqtt", "relay", "scheduler", "serial", "storage", "system"],
]);
