import type { EvaluateLua } from "#core/lua/lua-data.ts";
import { type Rockspec, readRockspec } from "#core/lua/rockspec.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { readZip } from "#service/blueprint/read-zip.ts";
import { readTarGz } from "#service/rock/read-tar.ts";

export interface Rock {
  readonly rockspec: Rockspec;
  /** Path to source, as `require` looks for it: `inspect.lua`, `pl/init.lua`. */
  readonly modules: ReadonlyMap<string, Uint8Array>;
}

type Files = ReadonlyMap<string, Uint8Array>;
type ReadRock = { readonly rock: Rock } | { readonly problem: string };

/** Reads a rock made of Lua alone: a built one (`.all.rock`), its sources (`.src.rock`), or a rockspec without modules. */
export function readRock(evaluate: EvaluateLua, file: string, bytes: Uint8Array): ReadRock {
  if (file.endsWith(".rockspec")) return readBareRockspec(evaluate, file, bytes);
  const { files, issues } = readZip(bytes);
  if (issues[0] !== undefined) return { problem: `it cannot be read. ${issues[0].message.replace(/\.$/, "")}` };
  const path = [...files.keys()].find((one) => !one.includes("/") && one.endsWith(".rockspec"));
  const content = path === undefined ? undefined : files.get(path);
  if (path === undefined || content === undefined) return { problem: "it holds no rockspec" };
  const parsed = parseSpec(evaluate, path, content);
  if ("problem" in parsed) return parsed;
  return file.endsWith(".src.rock") ? fromSources(parsed.spec, files) : fromBuilt(parsed.spec, files);
}

function readBareRockspec(evaluate: EvaluateLua, file: string, bytes: Uint8Array): ReadRock {
  const parsed = parseSpec(evaluate, file, bytes);
  if ("problem" in parsed) return parsed;
  const { spec } = parsed;
  if (spec.buildType !== "none" && (spec.modules === undefined || spec.modules.size > 0)) {
    return { problem: "a rockspec alone holds no modules; put its .src.rock or .all.rock beside it" };
  }
  return { rock: { rockspec: spec, modules: new Map() } };
}

function parseSpec(
  evaluate: EvaluateLua,
  path: string,
  content: Uint8Array,
): { readonly spec: Rockspec } | { readonly problem: string } {
  const text = decodeText(content);
  if (text === undefined) return { problem: `${path} is not UTF-8 text` };
  const { rockspec, problem } = readRockspec(evaluate, text);
  return rockspec === undefined ? { problem: `${path}, line ${problem.line}: ${problem.message}` } : { spec: rockspec };
}

/** A built rock has its Lua files under lua/, and compiled ones under lib/. One that has neither is packed like its sources. */
function fromBuilt(rockspec: Rockspec, files: Files): ReadRock {
  const native = [...files.keys()].find((path) => path.startsWith("lib/") && !path.endsWith(".lua"));
  if (native !== undefined) return { problem: `it holds compiled code (${native}), and only Lua can be run` };
  if (![...files.keys()].some((path) => path.startsWith("lua/"))) return fromSources(rockspec, files);
  const modules = new Map<string, Uint8Array>();
  for (const [path, content] of files) {
    if (path.startsWith("lua/") && path.endsWith(".lua")) modules.set(path.slice("lua/".length), content);
  }
  return { rock: { rockspec, modules } };
}

function fromSources(rockspec: Rockspec, packed: Files): ReadRock {
  const [native] = rockspec.nativeModules;
  if (native !== undefined) return { problem: `its module ${native} is not written in Lua, and only Lua can be run` };
  if (!["builtin", "module", "none"].includes(rockspec.buildType)) {
    return { problem: `it is built by ${rockspec.buildType}; put its .all.rock there instead` };
  }
  const files = unpackInner(packed);
  if (files === undefined) return { problem: "the archive of its sources is damaged or too large" };
  const declared = rockspec.modules ?? findModules(files, rockspec);
  const folders = foldersIn([...files.keys()], rockspec.sourceDir);
  const modules = new Map<string, Uint8Array>();
  for (const [module, path] of declared) {
    const content = folders
      .map((folder) => files.get(`${folder}${path.replace(/^(?:\.\/)+/, "")}`))
      .find((one) => one !== undefined);
    if (content === undefined) return { problem: `its module ${module} has no file ${path}` };
    const key = module.replaceAll(".", "/");
    modules.set(
      /(?:^|\/)init\.lua$/.test(path) && !/(?:^|\.)init$/.test(module) ? `${key}/init.lua` : `${key}.lua`,
      content,
    );
  }
  return { rock: { rockspec, modules } };
}

/** The sources of a rock are plain files, or an archive inside it. */
function unpackInner(packed: Files): Files | undefined {
  const inner = [...packed.keys()].find((path) => /\.(?:tar\.gz|tgz|zip)$/i.test(path) && !path.includes("/"));
  const content = inner === undefined ? undefined : packed.get(inner);
  if (inner === undefined || content === undefined) return packed;
  if (!/\.zip$/i.test(inner)) return readTarGz(content);
  const { files, issues } = readZip(content);
  return issues.length > 0 ? undefined : files;
}

/**
 * The folders from which paths of the rockspec may start, each with its slash. An archive of sources has everything in one
 * folder; where files lie at the root, other folders are parts of the rock.
 */
function foldersIn(paths: readonly string[], sourceDir: string | undefined): readonly string[] {
  const tops = new Set(paths.map((path) => path.slice(0, path.indexOf("/") + 1)));
  const isPacked = tops.size === 1 && !tops.has("") && ![...tops].some((top) => /^(?:src|lua|lib)\/$/.test(top));
  tops.delete("");
  const named = sourceDir === undefined ? [] : [`${sourceDir.replace(/\/+$/, "")}/`];
  return isPacked ? [...named, ...tops, ""] : [...named, "", ...tops];
}

/** Folders beside the modules whose Lua files are for the authors of a rock. */
const NO_MODULES = /^(?:specs?|tests?|docs?|examples?|samples?|tools|rockspecs)\/|^(?:install|main)\.lua$|^\./;

/**
 * The modules of a rock whose rockspec lists none, as LuaRocks' builtin build finds them: the Lua files under src, lua or
 * lib, otherwise those at the root, in folders too.
 */
export function findModules(files: Pick<Files, "keys">, { sourceDir }: Rockspec): ReadonlyMap<string, string> {
  const paths = [...files.keys()].filter((path) => path.endsWith(".lua"));
  for (const root of foldersIn(paths, sourceDir)) {
    for (const folder of ["src/", "lua/", "lib/", ""]) {
      const start = root + folder;
      const found = new Map<string, string>();
      for (const path of paths) {
        if (!path.startsWith(start)) continue;
        const inside = path.slice(start.length);
        if (folder === "" && NO_MODULES.test(inside)) continue;
        found.set(inside.replace(/(?:\/init)?\.lua$/, "").replaceAll("/", "."), path.slice(root.length));
      }
      if (found.size > 0) return found;
    }
  }
  return new Map();
}
