import { constants, promises } from "node:fs";
import { join } from "node:path";
import { type PackageIssue, packageIssue } from "#core/blueprint/package-issue.ts";
import { PACKAGE_LIMITS } from "#core/blueprint/package-limits.ts";
import { collisionKey, findPathFault, isFileManagerLitter } from "#core/blueprint/package-path.ts";

export type FolderContent = {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly issues: readonly PackageIssue[];
};

type Walk = {
  readonly root: string;
  readonly files: Map<string, Uint8Array>;
  readonly keys: Map<string, string>;
  readonly issues: PackageIssue[];
  /** What begins with a dot, or everything else. */
  readonly wants: "hidden" | "package";
  bytes: number;
};

/**
 * Reads a blueprint's folder under the limits of an upload. Links are refused, never followed; what begins with a dot
 * (.git, .vscode) and what file managers leave behind is no part of a package.
 */
export async function readPackageFolder(root: string): Promise<FolderContent> {
  return await readFiles(root, "package");
}

/** What `readPackageFolder` leaves out: files that begin with a dot or lie in such a folder, under the same limits. */
export async function readHiddenFiles(root: string): Promise<FolderContent> {
  return await readFiles(root, "hidden");
}

async function readFiles(root: string, wants: Walk["wants"]): Promise<FolderContent> {
  const walk: Walk = { root, files: new Map(), keys: new Map(), issues: [], wants, bytes: 0 };
  await readInto(walk, "");
  return { files: walk.files, issues: walk.issues };
}

const isHidden = (path: string) => path.split("/").some((part) => part.startsWith("."));

/** Whether a file or folder is looked at. The history of a repository belongs to its own folder. */
function isWanted({ wants }: Walk, path: string, isFolder: boolean): boolean {
  if (isFileManagerLitter(path) || /(?:^|\/)\.(?:git|hg|svn)$/.test(path)) return false;
  return wants === "package" ? !isHidden(path) : isFolder || isHidden(path);
}

async function readInto(walk: Walk, folder: string): Promise<void> {
  const children = await promises.readdir(join(walk.root, folder), { withFileTypes: true }).catch((error: unknown) => {
    walk.issues.push(
      packageIssue("package_unreadable", folder, `${folder || walk.root} cannot be read: ${reasonOf(error)}.`),
    );
    return [];
  });
  for (const child of children.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = folder === "" ? child.name : `${folder}/${child.name}`;
    if (!isWanted(walk, path, child.isDirectory())) continue;
    if (isFull(walk)) return;
    const fault = findPathFault(path);
    if (fault !== undefined) {
      walk.issues.push(
        packageIssue("package_path", path, `The path ${JSON.stringify(path)} is not allowed: ${fault}.`),
      );
    } else if (child.isDirectory()) {
      await readInto(walk, path);
    } else if (child.isFile()) {
      await readFileInto(walk, path);
    } else {
      const kind = child.isSymbolicLink() ? "a symbolic link" : "a device, pipe or socket";
      const message = `${path} is ${kind}. A package holds only regular files and folders.`;
      walk.issues.push(packageIssue("package_special_file", path, message));
    }
  }
}

/** A folder far above the limits (a home directory, say) is not read to its end. */
function isFull(walk: Walk): boolean {
  return walk.issues.some(({ code, path }) => code === "package_too_large" && path === "");
}

async function readFileInto(walk: Walk, path: string): Promise<void> {
  const { issues, files, keys } = walk;
  const other = keys.get(collisionKey(path));
  if (other !== undefined) {
    const message = `${path} and ${other} are one and the same on some disks.`;
    issues.push(packageIssue("package_duplicate_path", path, message));
    return;
  }
  if (files.size === PACKAGE_LIMITS.files) {
    const message = `The package holds more than ${PACKAGE_LIMITS.files} files.`;
    issues.push(packageIssue("package_too_large", "", message));
    return;
  }
  const content = await readCapped(join(walk.root, path)).catch((error: unknown) => reasonOf(error));
  if (typeof content === "string") {
    issues.push(packageIssue("package_unreadable", path, `${path} cannot be read: ${content}.`));
    return;
  }
  if (content.length > PACKAGE_LIMITS.fileBytes) {
    const message = `${path} is larger than ${PACKAGE_LIMITS.fileBytes} bytes.`;
    issues.push(packageIssue("package_too_large", path, message));
    return;
  }
  walk.bytes += content.length;
  if (walk.bytes > PACKAGE_LIMITS.totalBytes) {
    const message = `The package is larger than ${PACKAGE_LIMITS.totalBytes} bytes.`;
    issues.push(packageIssue("package_too_large", "", message));
    return;
  }
  keys.set(collisionKey(path), path);
  files.set(path, content);
}

/** At most one byte above the limit, whatever the file has grown to since it was listed. */
async function readCapped(path: string): Promise<Uint8Array> {
  const file = await promises.open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    const buffer = new Uint8Array(Math.min(size, PACKAGE_LIMITS.fileBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.slice(0, length);
  } finally {
    await file.close();
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "it does not exist";
  if (code === "EACCES" || code === "EPERM") return "access is denied";
  if (code === "ENOTDIR") return "it is no folder";
  if (code === "ELOOP") return "it is a symbolic link";
  return error instanceof Error ? error.message : "unknown reason";
}
