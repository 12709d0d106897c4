import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readProfileLibrary } from "#cli/blueprint/read-profile-library.ts";
import { readSources, type Source } from "#cli/blueprint/read-source.ts";
import { runTests, type TestFlags } from "#cli/blueprint/run-tests.ts";
import type { BrokenFile, TestResult } from "#cli/blueprint/test-result.ts";
import type { Cli } from "#cli/cli.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Control } from "#core/control/control.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { parseScenarios } from "#manifest/scenario/parse-scenarios.ts";
import type { HarnessJob } from "#runtime/harness/harness-job.ts";
import { readProgram } from "#runtime/harness/read-program.ts";
import { testBlueprint } from "#runtime/harness/test-blueprint.ts";

export type BlueprintTestFlags = TestFlags & {
  readonly scenario: readonly string[];
  readonly seed?: number;
  readonly rocks?: string;
  readonly profiles?: string;
};

export async function test(cli: Cli, paths: readonly string[], flags: BlueprintTestFlags): Promise<void> {
  // What a scenario's clock shows must not depend on where this machine stands. Threads take over the zone when they start.
  process.env["TZ"] = "UTC";
  await runTests(cli, flags, {
    kind: "blueprint",
    sources: () => readSources(cli, paths),
    nameOf: ({ name }) => name,
    test: (source) => testSource(cli, source, flags),
    watched: () => [...(paths.length === 0 ? ["."] : paths), ...flags.scenario].map((path) => resolve(cli.cwd, path)),
  });
}

async function testSource(cli: Cli, source: Source, flags: BlueprintTestFlags): Promise<TestResult> {
  const name = source.name.replace(/(^|[\\/])manifest\.ya?ml$/, "") || ".";
  const rocks = flags.rocks === undefined ? undefined : resolve(cli.cwd, flags.rocks);
  const { blueprint, program, issues } = readProgram(source.unpacked, rocks);
  const texts = new Map([...(program?.modules ?? [])].map(([module, code]) => [module, textOf(code)]));
  const paths = pathsOf(source);
  const files = { texts, paths };
  const nothing = { name, source: source.name, refused: undefined, report: undefined, broken: [], skipped: undefined };
  if (issues.length > 0) {
    const text = source.unpacked.package?.manifest ?? "";
    return { ...nothing, ...files, refused: { name: source.name, folder: source.folder, issues, text } };
  }
  if (blueprint === undefined || program === undefined) {
    const why = blueprint?.runtime.type === "embedded" ? "its runtime is embedded" : "it names no script";
    return { ...nothing, ...files, skipped: `nothing to run: ${why}` };
  }
  const controls = resolveControls(blueprint, await readProfileLibrary(cli, flags.profiles));
  const scenarios = readScenarios(cli, source, { blueprint, controls, flags });
  const { jobs, broken } = scenarios;
  const named = flags.scenario.map((file) => [file, file] as const);
  const shown = { texts: new Map([...texts, ...scenarios.files]), paths: new Map([...paths, ...named]) };
  if (jobs.length === 0 && (broken.length > 0 || flags.filter !== undefined)) {
    return { ...nothing, ...shown, broken, skipped: broken.length > 0 ? undefined : "no scenario matches the filter" };
  }
  const report = await testBlueprint({
    blueprint,
    controls,
    program,
    jobs,
    seed: flags.seed,
    isVerbose: flags.verbose,
  });
  return { ...nothing, ...shown, report, broken };
}

/** The folder's files, relative to the current folder. */
function pathsOf({ folder, unpacked }: Source): ReadonlyMap<string, string> {
  if (folder === undefined) return new Map();
  return new Map([...(unpacked.package?.files.keys() ?? [])].map((path) => [path, join(folder, path)]));
}

function textOf(code: Uint8Array | string): string {
  return typeof code === "string" ? code : (decodeText(code) ?? "");
}

interface Wanted {
  readonly blueprint: Blueprint;
  readonly controls: ReadonlyMap<string, Control>;
  readonly flags: BlueprintTestFlags;
}

function readScenarios(cli: Cli, source: Source, { blueprint, controls, flags }: Wanted) {
  const files = flags.scenario.length > 0 ? readFiles(cli, flags.scenario) : packagedScenarios(source);
  const jobs: HarnessJob[] = [];
  const broken: BrokenFile[] = [];
  for (const [file, text] of files) {
    const { scenarios, issues } = parseScenarios(text, blueprint, file, controls);
    if (issues.length > 0) broken.push({ file, issues });
    jobs.push(...scenarios.map((scenario) => ({ file, scenario })));
  }
  const { filter } = flags;
  const fits = ({ file, scenario }: HarnessJob) =>
    filter === undefined || file?.includes(filter) === true || scenario.name.includes(filter);
  return { jobs: jobs.filter(fits), broken, files };
}

/** The scenarios in the blueprint's folder `tests`, in the order of their names. */
function packagedScenarios({ unpacked }: Source): ReadonlyMap<string, string> {
  const files = [...(unpacked.package?.files ?? [])]
    .filter(([path]) => /^tests\/.*\.ya?ml$/.test(path))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(files.map(([path, bytes]) => [path, decodeText(bytes) ?? "\u0000"]));
}

function readFiles(cli: Cli, paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    paths.map((path) => {
      try {
        return [path, readFileSync(resolve(cli.cwd, path), "utf8")] as const;
      } catch (error) {
        throw new UsageError(
          `--scenario: cannot read ${path} (${error instanceof Error && "code" in error ? error.code : error})`,
        );
      }
    }),
  );
}
