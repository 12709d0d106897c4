// Blueprint packages in folders: a folder with a manifest.yml is a package, and so is a zip. Folders in between only group.
import { promises, type Stats } from "node:fs";
import { join } from "node:path";
import type { CatalogueSource } from "#core/blueprint/catalogue-entry.ts";
import { PACKAGE_LIMITS } from "#core/blueprint/package-limits.ts";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import type { PackageRepository, RepositoryPackage } from "#service/ports/package-repository.ts";

const MAX_PACKAGES = 1_000;
const MAX_ENTRIES = 50_000;
const MAX_DEPTH = 5;

interface Found extends RepositoryPackage {
  readonly path: string;
  readonly isZip: boolean;
}

type Walk = { readonly source: CatalogueSource; readonly found: Map<string, Found>; entries: number };

export function openPackageRepository(folders: Readonly<Partial<Record<CatalogueSource, string>>>): PackageRepository {
  async function look(): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    for (const [source, folder] of Object.entries(folders)) {
      await walkInto({ source: source as CatalogueSource, found, entries: 0 }, folder, []);
    }
    return found;
  }
  return {
    list: async () => [...(await look()).values()].map(({ id, source, stamp }) => ({ id, source, stamp })),
    async read(id) {
      const found = (await look()).get(id);
      if (found === undefined) return undefined;
      try {
        return found.isZip ? await readZip(found.path) : await readFolder(found.path);
      } catch {
        return undefined;
      }
    },
  };
}

async function walkInto(walk: Walk, folder: string, names: readonly string[]): Promise<void> {
  const children = await promises.readdir(folder, { withFileTypes: true }).catch(() => []);
  const isPackage = names.length > 0 && children.some((one) => one.isFile() && /^manifest\.ya?ml$/.test(one.name));
  if (isPackage) return await add(walk, folder, names);
  for (const child of children.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (child.name.startsWith(".") || ++walk.entries > MAX_ENTRIES) continue;
    const path = join(folder, child.name);
    if (child.isDirectory() && names.length < MAX_DEPTH) await walkInto(walk, path, [...names, child.name]);
    else if (child.isFile() && child.name.endsWith(".zip")) await add(walk, path, [...names, child.name]);
  }
}

async function add({ source, found }: Walk, path: string, names: readonly string[]): Promise<void> {
  const id = [source, ...names].join(".").replace(/\.zip$/, "");
  if (found.size >= MAX_PACKAGES || found.has(id)) return;
  const isZip = path.endsWith(".zip");
  const files = isZip ? [await statOf(path)] : await statsIn(path);
  found.set(id, { id, source, path, isZip, stamp: files.join("\n") });
}

/** A package has some files; more than an upload may have are not looked at. */
async function statsIn(folder: string): Promise<readonly string[]> {
  const entries = await promises.readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((one) => one.isFile()).slice(0, PACKAGE_LIMITS.files);
  return await Promise.all(files.map((one) => statOf(join(one.parentPath, one.name))));
}

async function statOf(file: string): Promise<string> {
  const gone: Pick<Stats, "size" | "mtimeMs"> = { size: 0, mtimeMs: 0 };
  const { size, mtimeMs } = await promises.lstat(file).catch(() => gone);
  return `${file} ${size} ${mtimeMs}`;
}

async function readZip(file: string): Promise<Uint8Array | undefined> {
  const { size } = await promises.stat(file);
  return size > PACKAGE_LIMITS.archiveBytes ? undefined : await promises.readFile(file);
}

async function readFolder(folder: string): Promise<Uint8Array | undefined> {
  const { files, issues } = await readPackageFolder(folder);
  return issues.length > 0 ? undefined : packPackage(files);
}
