// Combines the Lua files of a package and the rocks that it needs into one program. Pure: all input is passed in, and
// only rockspecs are run.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type ScriptIssue, scriptIssue } from "#core/blueprint/script-issue.ts";
import { STUBS_FOLDER } from "#core/lua/host/render-stubs.ts";
import { lintScripts } from "#core/lua/lint/lint-scripts.ts";
import type { EvaluateLua } from "#core/lua/lua-data.ts";
import { parseDependency } from "#core/lua/rock-version.ts";
import { type Rockspec, readRockspec } from "#core/lua/rockspec.ts";
import { scanRequires } from "#core/lua/scan-requires.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { type FoundModule, findModule, folderOf } from "#drivers/find-module.ts";
import { hostApi } from "#drivers/host-api.ts";
import { packagePath } from "#manifest/package-path.ts";
import { rangeAt } from "#manifest/range-at.ts";
import { readMapModules } from "#service/blueprint/read-map-modules.ts";
import type { Package } from "#service/blueprint/unpack-package.ts";
import { chooseRocks, type WantedRock } from "#service/rock/choose-rocks.ts";
import { findModules } from "#service/rock/read-rock.ts";
import type { RockRepository } from "#service/rock/rock-repository.ts";

export interface BuiltProgram {
  /** Undefined when there is an error among the issues, or no script at all. */
  readonly program: ScriptProgram | undefined;
  readonly issues: readonly ScriptIssue[];
}

type Modules = Map<string, Uint8Array>;

export interface SyntaxProblem {
  readonly line: number;
  readonly message: string;
}

export type SyntaxCheck = (path: string, source: Uint8Array) => SyntaxProblem | undefined;

interface Surroundings {
  /** Undefined when the operator's rocks are not known: then nothing is checked about them. */
  readonly repository: RockRepository | undefined;
  readonly checkSyntax: SyntaxCheck;
  /** For rockspecs, which are Lua. */
  readonly evaluate: EvaluateLua;
}

/** The blueprint belongs to the package and has no errors. Never throws. */
export function buildProgram(content: Package, blueprint: Blueprint, around: Surroundings): BuiltProgram {
  const { options } = blueprint.runtime;
  const script = packagePath(options.file ?? (options.dir === undefined ? "" : `${options.dir}/main.lua`));
  const hasScript = script !== undefined && content.files.has(script);
  const map = readMapModules(content, blueprint, hasScript);
  const entry = hasScript ? script : map?.runner.path;
  if (entry === undefined) return { program: undefined, issues: [] };
  const issues: ScriptIssue[] = [];

  const own = luaFilesIn(content.files);
  if (map !== undefined) for (const { path, source } of [map.text, map.runner]) own.set(path, source);
  const { wanted, spec } = readWanted(content, blueprint, { issues, evaluate: around.evaluate });
  addOwnSpec(own, content, spec);
  const isKnown = around.repository !== undefined || (wanted.length === 0 && issues.length === 0);
  const rocks = modulesOfRocks(around, { wanted, allowDev: options.allowDevLuarocks, issues });
  const all: Modules = new Map([...rocks, ...own]);
  const host = blueprint.luaHost === "v1" ? { host: blueprint.luaHost } : {};
  const found = reach(all, { entry, ...host });
  if (map !== undefined) {
    found.modules.set(map.text.path, map.text.source);
    issues.push(...map.issues);
  }
  if (isKnown) issues.push(...found.missing);
  if (options.amalgMode.includes("isolate")) {
    for (const [path, source] of all) {
      if (rocks.get(path) === source || path.startsWith(folderOf(entry))) found.modules.set(path, source);
    }
  } else issues.push(...found.dynamic);
  for (const [path, source] of found.modules) {
    const problem = around.checkSyntax(path, source);
    if (problem !== undefined)
      issues.push(scriptIssue({ code: "lua_syntax", path, message: problem.message }, problem.line));
  }
  const isSound = issues.every(({ severity }) => severity !== "error");
  if (isSound) {
    const isOpen = found.dynamic.length > 0 && !options.amalgMode.includes("isolate");
    issues.push(
      ...lintScripts({
        files: [...found.modules].map(([path, source]) => ({
          path,
          text: decodeText(source) ?? LATIN.decode(source),
          isOwn: rocks.get(path) !== source,
        })),
        blueprint,
        isComplete: isKnown && found.missing.length === 0 && !isOpen,
        libraryAt: (name, path) => libraryOf(findModule({ entry, modules: all, ...host }, name, folderOf(path))),
        hostApi,
      }),
    );
  }
  const program = { entry, modules: owned(found.modules), nodebug: options.amalgMode.includes("nodebug"), ...host };
  return { program: isSound ? program : undefined, issues };
}

interface WantedRocks {
  readonly wanted: readonly WantedRock<Place>[];
  readonly allowDev: boolean;
  readonly issues: ScriptIssue[];
}

function modulesOfRocks({ repository, evaluate }: Surroundings, { wanted, allowDev, issues }: WantedRocks): Modules {
  const modules: Modules = new Map();
  if (repository === undefined) return modules;
  const chosen = chooseRocks({ repository, evaluate }, wanted, allowDev);
  issues.push(...chosen.problems.map(({ code, message, place }) => ({ ...place, code, message })));
  for (const rock of chosen.rocks) {
    for (const [module, source] of rock.modules) if (!modules.has(module)) modules.set(module, source);
  }
  return modules;
}

const libraryOf = (module: FoundModule) => ("library" in module ? module.library : undefined);

/**
 * Copied into memory of their own: files of an archive are views of the whole archive, and posting a view to a thread
 * copies all of it.
 */
function owned(modules: Modules): Modules {
  return new Map([...modules].map(([path, source]) => [path, new Uint8Array(source)]));
}

function luaFilesIn(files: Package["files"]): Modules {
  // Type stubs are for editors, also where somebody has packed them.
  return new Map([...files].filter(([path]) => path.endsWith(".lua") && !path.startsWith(`${STUBS_FOLDER}/`)));
}

type Place = Pick<ScriptIssue, "severity" | "path" | "range">;

/** The rocks that the manifest requires, itself or through its rockspec. */
function readWanted(
  { files, manifest }: Package,
  { runtime: { options } }: Blueprint,
  { issues, evaluate }: { readonly issues: ScriptIssue[]; readonly evaluate: EvaluateLua },
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
      : readRockspec(evaluate, text);
  if (rockspec === undefined) {
    const message = `The rockspec cannot be read: ${problem.message}.`;
    issues.push(scriptIssue({ code: "rockspec_invalid", path, message }, problem.line));
    return { wanted: [], spec: undefined };
  }
  const start = { line: 1, column: 1 };
  const place = { severity: "error", path, range: { start, end: start } } as const;
  return { wanted: rockspec.dependencies.map((dependency) => ({ dependency, place })), spec: rockspec };
}

/** Modules that the package's own rockspec names or leaves to be found, at the paths where `require` looks. */
function addOwnSpec(own: Modules, { files }: Package, spec: Rockspec | undefined): void {
  if (spec === undefined) return;
  for (const [module, file] of spec.modules ?? findModules(files, spec)) {
    const source = files.get(packagePath(file) ?? "");
    const path = `${module.replaceAll(".", "/")}.lua`;
    if (source !== undefined && !own.has(path)) own.set(path, source);
  }
}

/** The modules that the entry reaches by `require`. */
function reach(all: ReadonlyMap<string, Uint8Array>, { entry, host }: Pick<ScriptProgram, "entry" | "host">) {
  const modules: Modules = new Map();
  const missing: ScriptIssue[] = [];
  const dynamic: ScriptIssue[] = [];
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = all.get(path);
    if (source === undefined || modules.has(path)) continue;
    modules.set(path, source);
    const { needed, wished, unknownAt } = scanRequires(LATIN.decode(source));
    for (const { name, line, isNeeded } of [
      ...needed.map((one) => ({ ...one, isNeeded: true })),
      ...wished.map((one) => ({ ...one, isNeeded: false })),
    ]) {
      const found = findModule({ entry, modules: all, ...(host && { host }) }, name, folderOf(path));
      if ("path" in found) waiting.push(found.path);
      else if ("tried" in found && isNeeded) {
        const message = `The module ${JSON.stringify(name)} is neither in the package nor in a rock that it asks for. The script fails if it runs this line.`;
        missing.push(scriptIssue({ code: "lua_module_missing", path, message }, line));
      }
    }
    for (const line of unknownAt)
      dynamic.push(scriptIssue({ code: "lua_dynamic_require", path, message: DYNAMIC }, line));
  }
  return { modules, missing, dynamic };
}

const DYNAMIC =
  "Which module this requires is known only when it runs; it is left out unless something else requires it. " +
  "Name it, or set amalg_mode: isolate.";

/** One character per byte, for any bytes: names of modules are ASCII. */
const LATIN = new TextDecoder("latin1");
