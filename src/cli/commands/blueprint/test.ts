import { readFileSync, watch } from "node:fs";
import { resolve } from "node:path";
import { renderReport } from "#cli/blueprint/lint-report.ts";
import { readSources, type Source } from "#cli/blueprint/read-source.ts";
import { renderTestReport } from "#cli/blueprint/test-report.ts";
import { type BrokenFile, hasFailed, type TestResult } from "#cli/blueprint/test-result.ts";
import { renderTestJson } from "#cli/blueprint/test-wire.ts";
import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { remark } from "#cli/print.ts";
import { withProgress } from "#cli/progress.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { parseScenarios } from "#manifest/scenario/parse-scenarios.ts";
import type { HarnessJob } from "#runtime/harness/harness-job.ts";
import { readProgram } from "#runtime/harness/read-program.ts";
import { testBlueprint } from "#runtime/harness/test-blueprint.ts";
import { decodeText } from "#service/blueprint/unpack-package.ts";

export type TestFlags = {
  readonly output: "pretty" | "json";
  readonly scenario: readonly string[];
  readonly filter?: string;
  readonly verbose?: boolean;
  readonly coverage?: boolean;
  readonly seed?: number;
  readonly watch?: boolean;
  readonly rocks?: string;
};

/** Fails when a scenario fails, and as wrong usage when there is nothing to run. */
export async function test(cli: Cli, paths: readonly string[], flags: TestFlags): Promise<void> {
  // What a scenario's clock shows must not depend on where this machine stands. Threads take over the zone when they start.
  process.env["TZ"] = "UTC";
  if (flags.watch === true) return watchAndTest(cli, paths, flags);
  const results = await testOnce(cli, paths, flags);
  if (results.some(hasFailed)) throw new QuietFailure(EXIT.failure);
  if (results.every(({ report }) => report === undefined)) throw new QuietFailure(EXIT.usage);
}

async function testOnce(cli: Cli, paths: readonly string[], flags: TestFlags): Promise<readonly TestResult[]> {
  const sources = await readSources(cli, paths);
  const results: TestResult[] = [];
  for (const source of sources)
    results.push(await withProgress(cli, `testing ${source.name}`, testSource(cli, source, flags)));
  const answer =
    flags.output === "json"
      ? JSON.stringify(renderTestJson(results, flags.verbose === true), null, 2)
      : renderTestReport(results, cli.stdout.hasColors?.() === true, flags);
  cli.stdout.write(`${answer}\n`);
  return results;
}

async function testSource(cli: Cli, source: Source, flags: TestFlags): Promise<TestResult> {
  const name = source.name.replace(/(^|[\\/])manifest\.ya?ml$/, "") || ".";
  const rocks = flags.rocks === undefined ? undefined : resolve(cli.cwd, flags.rocks);
  const { blueprint, program, issues } = readProgram(source.unpacked, rocks);
  const texts = new Map([...(program?.modules ?? [])].map(([module, code]) => [module, textOf(code)]));
  const nothing = { name, report: undefined, broken: [], skipped: undefined, texts };
  if (issues.length > 0) {
    const result = { name: source.name, issues, text: source.unpacked.package?.manifest ?? "" };
    cli.stderr.write(`${renderReport([result], cli.stderr.hasColors?.() === true)}\n`);
    throw new QuietFailure(EXIT.failure);
  }
  if (blueprint === undefined || program === undefined) {
    const why = blueprint?.runtime.type === "embedded" ? "its runtime is embedded" : "it names no script";
    return { ...nothing, skipped: `nothing to run: ${why}` };
  }
  const { jobs, broken, files } = readScenarios(cli, source, { blueprint, flags });
  const shown = new Map([...texts, ...files]);
  if (jobs.length === 0 && (broken.length > 0 || flags.filter !== undefined)) {
    return { ...nothing, broken, texts: shown, skipped: broken.length > 0 ? undefined : "no scenario fits the filter" };
  }
  const report = await testBlueprint({ blueprint, program, jobs, seed: flags.seed, isVerbose: flags.verbose });
  return { ...nothing, report, broken, texts: shown };
}

function textOf(code: Uint8Array | string): string {
  return typeof code === "string" ? code : (decodeText(code) ?? "");
}

interface Wanted {
  readonly blueprint: Blueprint;
  readonly flags: TestFlags;
}

function readScenarios(cli: Cli, source: Source, { blueprint, flags }: Wanted) {
  const files = flags.scenario.length > 0 ? readFiles(cli, flags.scenario) : packagedScenarios(source);
  const jobs: HarnessJob[] = [];
  const broken: BrokenFile[] = [];
  for (const [file, text] of files) {
    const { scenarios, issues } = parseScenarios(text, blueprint, file);
    if (issues.length > 0) broken.push({ file, issues });
    jobs.push(...scenarios.map((scenario) => ({ file, scenario })));
  }
  const { filter } = flags;
  const fits = ({ file, scenario }: HarnessJob) =>
    filter === undefined || file?.includes(filter) === true || scenario.name.includes(filter);
  return { jobs: jobs.filter(fits), broken, files };
}

/** Those in the blueprint's folder `tests`, in the order of their names. */
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

/** Changes that come together, as when an editor saves, are one. */
const CALM_MS = 100;

/** Until the person interrupts. */
async function watchAndTest(cli: Cli, paths: readonly string[], flags: TestFlags): Promise<void> {
  const folders = (paths.length === 0 ? ["."] : paths).map((path) => resolve(cli.cwd, path));
  const changes = createChanges([...folders, ...flags.scenario.map((file) => resolve(cli.cwd, file))]);
  const ended = cli.onInterrupt?.(changes.end);
  try {
    do {
      await testOnce(cli, paths, flags).catch((error: unknown) => {
        if (!(error instanceof QuietFailure)) throw error;
      });
      remark(cli, "waiting for changes; Ctrl-C ends");
    } while (await changes.next());
  } finally {
    changes.end();
    ended?.();
  }
}

function createChanges(paths: readonly string[]) {
  let tell: (() => void) | undefined;
  let hasChanged = false;
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      hasChanged = true;
      tell?.();
    }, CALM_MS);
  };
  const watchers = paths.map((path) => watch(path, { recursive: true }, changed));
  return {
    end() {
      isEnded = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      tell?.();
    },
    /** False when it is over. */
    async next(): Promise<boolean> {
      if (!hasChanged && !isEnded) {
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
      hasChanged = false;
      return !isEnded;
    },
  };
}
