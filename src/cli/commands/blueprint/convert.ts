import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { renderReport } from "#cli/blueprint/lint-report.ts";
import type { LintResult } from "#cli/blueprint/lint-result.ts";
import { lintSource } from "#cli/blueprint/lint-source.ts";
import { readSources, type Source } from "#cli/blueprint/read-source.ts";
import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { remark } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { UsageError } from "#cli/usage-error.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { convertPackage, type PackageNote } from "#manifest/v1/convert-package.ts";
import { type FolderContent, readHiddenFiles } from "#runtime/inspect/read-package-folder.ts";
import { packageOfFiles } from "#service/blueprint/unpack-package.ts";

export type ConvertFlags = {
  readonly out?: string;
  readonly output: "pretty" | "json";
  readonly force?: boolean;
  readonly rocks?: string;
};

interface Converted {
  readonly folder: string;
  readonly notes: readonly PackageNote[];
  readonly result: LintResult;
}

/** Of device/3.0 already: of many blueprints, such a one is left as it is. */
class AlreadyConverted extends UsageError {}

/**
 * Writes packages of device/3.0 beside those of device/1.0, which stay untouched. A folder of blueprints becomes a folder
 * of blueprints; those of device/3.0 in it are left. Fails when one cannot be converted, or when lint finds an error in one.
 */
export async function convert(cli: Cli, path: string | undefined, flags: ConvertFlags): Promise<void> {
  const sources = await readSources(cli, [path ?? "."]);
  const isOne = sources.length === 1;
  const converted: Converted[] = [];
  let refused = 0;
  for (const source of sources) {
    const target = isOne
      ? targetOf(cli, source, flags.out)
      : targetAmong(cli, source, { path: path ?? ".", out: flags.out });
    try {
      converted.push(await convertOne(cli, source, { ...flags, target }));
    } catch (error) {
      // Of many, one that is of another version or broken does not keep the others from being converted.
      if (isOne || !(error instanceof UsageError)) throw error;
      if (!(error instanceof AlreadyConverted)) refused += 1;
      remark(cli, error instanceof AlreadyConverted ? `${error.message} It is left as it is.` : error.message);
    }
  }
  if (flags.output === "json") {
    const list = converted.map(renderJson);
    cli.stdout.write(`${JSON.stringify(isOne ? list[0] : { blueprints: list }, null, 2)}\n`);
  } else {
    for (const { folder, notes } of converted) {
      const text = render(notes);
      if (!isOne) cli.stdout.write(`${folder}\n`);
      if (text !== "") cli.stdout.write(`${text}\n`);
    }
    const report = renderReport(
      converted.map(({ result }) => result),
      cli.stdout.hasColors?.() === true,
    );
    if (report !== "") cli.stdout.write(`${report}\n`);
    for (const { folder } of converted) remark(cli, `Written to ${folder}. Next: busbar blueprint test ${folder}`);
  }
  const isFaulty = converted.some(({ result }) => result.issues.some(({ severity }) => severity === "error"));
  if (refused > 0 || isFaulty) throw new QuietFailure(EXIT.failure);
}

type OneFlags = ConvertFlags & { readonly target: string };

async function convertOne(cli: Cli, source: Source, { target, force, rocks }: OneFlags): Promise<Converted> {
  const { package: unpacked, issues } = source.unpacked;
  if (unpacked === undefined) throw new UsageError(`${source.name}: ${issues.map(({ message }) => message).join(" ")}`);
  const { files, notes, isConverted } = convertPackage(unpacked);
  if (files === undefined) {
    const message = `${source.name}: ${notes.map((note) => note.message).join(" ")}`;
    throw isConverted ? new AlreadyConverted(message) : new UsageError(message);
  }
  const folder = nameOf(cli, target);
  refuseInput(cli, source, target);
  if (force !== true && existsSync(target) && readdirSync(target).length > 0) {
    throw new UsageError(`${folder} is not empty: add --force to write into it, or --out to write elsewhere`);
  }
  // Hidden files are no part of a package, and belong to the author all the same.
  const hidden = source.folder === undefined ? NO_FILES : await readHiddenFiles(resolve(cli.cwd, source.folder));
  for (const { message } of hidden.issues) remark(cli, `left out: ${message}`);
  for (const [file, content] of [...hidden.files, ...files]) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    writeFileSync(join(target, file), content);
  }
  const written: Source = {
    name: join(folder, unpacked.manifestPath),
    folder,
    unpacked: packageOfFiles("folder", files),
    manifestFile: undefined,
  };
  const context = { profiles: starterLibrary(), rocks: rocks === undefined ? undefined : resolve(cli.cwd, rocks) };
  return { folder, notes, result: lintSource(written, context) };
}

const NO_FILES: FolderContent = { files: new Map(), issues: [] };

function renderJson({ folder, notes, result }: Converted) {
  const issues = result.issues.map(({ severity, code, message, path }) => ({ severity, code, message, path }));
  return { folder, notes, issues };
}

const HEADINGS: readonly (readonly [PackageNote["kind"], string])[] = [
  ["changed", "Translated"],
  ["dropped", "Left out, because device/3.0 has no form for it"],
  ["port", "Ports that the gateway needs"],
  ["decide", "For you to decide"],
];

function render(notes: readonly PackageNote[]): string {
  const parts = HEADINGS.map(([kind, heading]) => {
    const lines = notes.filter((one) => one.kind === kind).map(({ path, message }) => `  ${path || "/"}  ${message}`);
    return lines.length === 0 ? [] : [heading, ...lines];
  });
  return parts.flat().join("\n");
}

function targetOf(cli: Cli, { folder, name }: Source, out: string | undefined): string {
  if (out !== undefined) return resolve(cli.cwd, out);
  if (folder !== undefined) return `${resolve(cli.cwd, folder)}-3.0`;
  const plain = basename(name)
    .replace(/\.\w+$/, "")
    .replaceAll(/[^\w-]/g, "");
  return resolve(cli.cwd, `${plain || "blueprint"}-3.0`);
}

/** Blueprints of a folder keep their places below it. */
function targetAmong(
  cli: Cli,
  { folder = "" }: Source,
  { path, out }: { readonly path: string; readonly out: string | undefined },
): string {
  const root = resolve(cli.cwd, path);
  const target = out === undefined ? `${root}-3.0` : resolve(cli.cwd, out);
  return join(target, relative(root, resolve(cli.cwd, folder)));
}

/** The old package is the author's: nothing is written into its folder, not even beside its files. */
function refuseInput(cli: Cli, source: Source, target: string): void {
  if (source.folder === undefined) return;
  const inside = relative(resolve(cli.cwd, source.folder), target);
  if (inside !== "" && (inside.startsWith("..") || resolve(inside) === inside)) return;
  throw new UsageError("--out must lie outside the blueprint that is converted");
}

function nameOf(cli: Cli, full: string): string {
  const short = relative(cli.cwd, full);
  return short === "" ? "." : short.startsWith("..") ? full : short;
}
