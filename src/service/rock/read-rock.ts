import { type Rockspec, readRockspec } from "#core/lua/rockspec.ts";
import { readZip } from "#service/blueprint/read-zip.ts";
import { decodeText } from "#service/blueprint/unpack-package.ts";
import { readTarGz } from "#service/rock/read-tar.ts";

export interface Rock {
  readonly rockspec: Rockspec;
  /** Path to source, as `require` looks for it: `inspect.lua`, `pl/init.lua`. */
  readonly modules: ReadonlyMap<string, Uint8Array>;
}

type Files = ReadonlyMap<string, Uint8Array>;
type ReadRock = { readonly rock: Rock } | { readonly problem: string };

/** Reads a rock made of Lua alone: a built one (`.all.rock`), its sources (`.src.rock`), or a rockspec without modules. */
export function readRock(file: string, bytes: Uint8Array): ReadRock {
  if (file.endsWith(".rockspec")) return readBareRockspec(file, bytes);
  const { files, issues } = readZip(bytes);
  if (issues[0] !== undefined) return { problem: `it cannot be read. ${issues[0].message.replace(/\.$/, "")}` };
  const path = [...files.keys()].find((one) => !one.includes("/") && one.endsWith(".rockspec"));
  const content = path === undefined ? undefined : files.get(path);
  if (path === undefined || content === undefined) return { problem: "it holds no rockspec" };
  const parsed = parseSpec(path, content);
  if ("problem" in parsed) return parsed;
  return file.endsWith(".src.rock") ? fromSources(parsed.spec, files) : fromBuilt(parsed.spec, files);
}

function readBareRockspec(file: string, bytes: Uint8Array): ReadRock {
  const parsed = parseSpec(file, bytes);
  if ("problem" in parsed) return parsed;
  const { spec } = parsed;
  if (spec.buildType !== "none" && (spec.modules === undefined || spec.modules.size > 0)) {
    return { problem: "a rockspec alone holds no modules; put its .src.rock or .all.rock beside it" };
  }
  return { rock: { rockspec: spec, modules: new Map() } };
}

function parseSpec(path: string, content: Uint8Array): { readonly spec: Rockspec } | { readonly problem: string } {
  const text = decodeText(content);
  if (text === undefined) return { problem: `${path} is not UTF-8 text` };
  const { rockspec, problem } = readRockspec(text);
  return rockspec === undefined ? { problem: `${path}, line ${problem.line}: ${problem.message}` } : { spec: rockspec };
}

/** A built rock has its Lua files under lua/, and compiled ones under lib/. */
function fromBuilt(rockspec: Rockspec, files: Files): ReadRock {
  const native = [...files.keys()].find((path) => path.startsWith("lib/"));
  if (native !== undefined) return { problem: `it holds compiled code (${native}), and only Lua can be run` };
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
  const modules = new Map<string, Uint8Array>();
  for (const [module, path] of declared) {
    const content = folders(files, rockspec)
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

/** The folders from which paths of the rockspec may start, each with its slash. */
function folders(files: Files, { sourceDir }: Rockspec): readonly string[] {
  const tops = new Set([...files.keys()].map((path) => path.slice(0, path.indexOf("/") + 1)));
  tops.delete("");
  return [...(sourceDir === undefined ? [] : [`${sourceDir.replace(/\/+$/, "")}/`]), "", ...tops];
}

/**
 * The modules that LuaRocks' builtin build finds by itself: the Lua files under src, lua or lib, otherwise those at the
 * top.
 */
function findModules(files: Files, rockspec: Rockspec): ReadonlyMap<string, string> {
  for (const root of folders(files, rockspec)) {
    for (const folder of ["src/", "lua/", "lib/", ""]) {
      const start = root + folder;
      const found = new Map<string, string>();
      for (const path of files.keys()) {
        if (!path.startsWith(start) || !path.endsWith(".lua")) continue;
        const inside = path.slice(start.length);
        if (folder === "" && (inside.includes("/") || inside === "install.lua")) continue;
        found.set(inside.replace(/(?:\/init)?\.lua$/, "").replaceAll("/", "."), path.slice(root.length));
      }
      if (found.size > 0) return found;
    }
  }
  return new Map();
}
