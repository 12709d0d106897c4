import { promises } from "node:fs";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { UsageError } from "#cli/usage-error.ts";
import { PACKAGE_LIMITS } from "#core/blueprint/package-limits.ts";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { packageOfFiles, type Unpacked, unpackPackage } from "#service/blueprint/unpack-package.ts";

/** A blueprint that was named on the command line, read but not yet judged. */
export type Source = {
  /** As the person would name it: the manifest's file, the zip, or `<stdin>`. */
  readonly name: string;
  /**
   * The folder of its files, named like `name`; undefined for a zip, for standard input and for a manifest on its own.
   */
  readonly folder: string | undefined;
  readonly unpacked: Unpacked;
  /** The manifest's file on disk; undefined for a zip and for standard input. */
  readonly manifestFile: string | undefined;
};

const MANIFEST_NAME = /^manifest\.ya?ml$/;
/** Folders between the one that is named and a blueprint inside it. */
const DEEPEST = 4;

/** Reads each path: a manifest with the folder it lies in, a folder, a folder of blueprints, a zip, `-` for standard input. */
export async function readSources(cli: Cli, paths: readonly string[]): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const path of paths.length === 0 ? ["."] : paths) sources.push(...(await readPath(cli, path)));
  return sources;
}

/** The one blueprint that a command is about. */
export async function readSource(cli: Cli, path: string | undefined): Promise<Source> {
  const [source, second] = await readSources(cli, [path ?? "."]);
  if (source === undefined) throw new UsageError(`there is no blueprint in ${path ?? "this folder"}`);
  if (second !== undefined) throw new UsageError(`${path ?? "."} holds several blueprints: name one of them`);
  return source;
}

async function readPath(cli: Cli, path: string): Promise<readonly Source[]> {
  if (path === "-") return [await readStandardInput(cli)];
  const full = resolve(cli.cwd, path);
  const stat = await promises.stat(full).catch(() => undefined);
  if (stat === undefined) throw new UsageError(`${path} does not exist`);
  if (stat.isDirectory()) return readFolderOrFolders(cli, full);
  const bytes = await readFile(full, path);
  const name = displayName(cli, full);
  const isPlain = !looksPacked(bytes);
  // A manifest inside its folder is judged with the files beside it; any other file is a manifest on its own.
  if (isPlain && MANIFEST_NAME.test(basename(full))) return [await readBlueprintFolder(cli, resolve(full, ".."))];
  return [{ name, folder: undefined, unpacked: unpackPackage(bytes), manifestFile: isPlain ? full : undefined }];
}

async function readFile(full: string, path: string): Promise<Uint8Array> {
  const { size } = await promises.stat(full);
  if (size > PACKAGE_LIMITS.archiveBytes)
    throw new UsageError(`${path} is larger than ${PACKAGE_LIMITS.archiveBytes} bytes`);
  return promises.readFile(full);
}

function looksPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

async function readStandardInput(cli: Cli): Promise<Source> {
  if (cli.readInput === undefined) throw new UsageError("there is nothing on standard input");
  return {
    name: "<stdin>",
    folder: undefined,
    unpacked: unpackPackage(await cli.readInput()),
    manifestFile: undefined,
  };
}

async function readFolderOrFolders(cli: Cli, folder: string): Promise<readonly Source[]> {
  const found = await findBlueprints(folder, DEEPEST);
  // A folder without any manifest is read all the same, for its issue says what was looked for.
  const folders = found.length === 0 ? [folder] : found;
  return Promise.all(folders.map((one) => readBlueprintFolder(cli, one)));
}

/** The folder itself if it is a blueprint, otherwise the blueprints below it. */
async function findBlueprints(folder: string, depth: number): Promise<readonly string[]> {
  const children = await promises.readdir(folder, { withFileTypes: true });
  if (children.some((child) => MANIFEST_NAME.test(child.name))) return [folder];
  if (depth === 0) return [];
  const names = children
    .filter((child) => child.isDirectory() && !child.name.startsWith(".") && child.name !== "node_modules")
    .map((child) => child.name)
    .sort();
  const found = await Promise.all(names.map((name) => findBlueprints(join(folder, name), depth - 1)));
  return found.flat();
}

async function readBlueprintFolder(cli: Cli, folder: string): Promise<Source> {
  const { files, issues } = await readPackageFolder(folder);
  const unpacked = issues.length > 0 ? { package: undefined, issues } : packageOfFiles("folder", files);
  const manifestFile = unpacked.package && join(folder, unpacked.package.manifestPath);
  return { name: displayName(cli, manifestFile ?? folder), folder: displayName(cli, folder), unpacked, manifestFile };
}

/** Short where it can be: relative to the folder we are in, unless that leads out of it. */
function displayName(cli: Cli, full: string): string {
  const short = relative(cli.cwd, full);
  return short === "" ? "." : short.startsWith("..") || isAbsolute(short) ? full : short;
}
