import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { renderReport } from "#cli/blueprint/lint-report.ts";
import { lintSource } from "#cli/blueprint/lint-source.ts";
import { readSource, type Source } from "#cli/blueprint/read-source.ts";
import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { remark } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { UsageError } from "#cli/usage-error.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { convertPackage, type PackageNote } from "#service/blueprint/convert-package.ts";
import { packageOfFiles } from "#service/blueprint/unpack-package.ts";

export type ConvertFlags = {
  readonly out?: string;
  readonly output: "pretty" | "json";
  readonly force?: boolean;
  readonly rocks?: string;
};

/** Writes a package of device/3.0 beside one of device/1.0, which stays untouched. Fails when lint finds an error in it. */
export async function convert(cli: Cli, path: string | undefined, flags: ConvertFlags): Promise<void> {
  const source = await readSource(cli, path);
  const { package: unpacked, issues } = source.unpacked;
  if (unpacked === undefined) throw new UsageError(`${source.name}: ${issues.map(({ message }) => message).join(" ")}`);
  const { files, notes } = convertPackage(unpacked);
  if (files === undefined) throw new UsageError(`${source.name}: ${notes.map(({ message }) => message).join(" ")}`);
  const folder = resolve(cli.cwd, flags.out ?? defaultFolder(cli, source));
  refuseInput(cli, source, folder);
  if (flags.force !== true && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new UsageError(
      `${name(cli, folder)} is not empty: add --force to write into it, or --out to write elsewhere`,
    );
  }
  for (const [file, content] of files) {
    const target = join(folder, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const result = lintSource(
    {
      name: join(name(cli, folder), unpacked.manifestPath),
      folder: name(cli, folder),
      unpacked: packageOfFiles("folder", files),
      manifestFile: undefined,
    },
    { profiles: starterLibrary(), rocks: flags.rocks === undefined ? undefined : resolve(cli.cwd, flags.rocks) },
  );
  if (flags.output === "json") {
    const found = result.issues.map(({ severity, code, message, path: at }) => ({ severity, code, message, path: at }));
    cli.stdout.write(`${JSON.stringify({ folder: name(cli, folder), notes, issues: found }, null, 2)}\n`);
  } else {
    const text = render(notes);
    if (text !== "") cli.stdout.write(`${text}\n`);
    const report = renderReport([result], cli.stdout.hasColors?.() === true);
    if (report !== "") cli.stdout.write(`${report}\n`);
    remark(cli, `Written to ${name(cli, folder)}. Next: busbar blueprint test ${name(cli, folder)}`);
  }
  if (result.issues.some(({ severity }) => severity === "error")) throw new QuietFailure(EXIT.failure);
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

function defaultFolder(cli: Cli, { folder, name: named }: Source): string {
  if (folder === undefined)
    return `${
      basename(named)
        .replace(/\.\w+$/, "")
        .replaceAll(/[^\w-]/g, "") || "blueprint"
    }-3.0`;
  return `${resolve(cli.cwd, folder)}-3.0`;
}

/** The old package is the author's: nothing is written into its folder, not even beside its files. */
function refuseInput(cli: Cli, source: Source, folder: string): void {
  if (source.folder === undefined) return;
  const inside = relative(resolve(cli.cwd, source.folder), folder);
  if (inside !== "" && (inside.startsWith("..") || resolve(inside) === inside)) return;
  throw new UsageError("--out must lie outside the blueprint that is converted");
}

function name(cli: Cli, full: string): string {
  const short = relative(cli.cwd, full);
  return short === "" ? "." : short.startsWith("..") ? full : short;
}
