// What `busbar blueprint test` and `busbar rule test` do alike: run, print, save, watch.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { remark } from "#cli/print.ts";
import { withProgress } from "#cli/progress.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { watchPaths } from "#cli/watch-paths.ts";
import { renderReport } from "./lint-report.ts";
import { renderTestGithub } from "./test-github.ts";
import { renderTestJunit } from "./test-junit.ts";
import { renderTestReport } from "./test-report.ts";
import { hasFailed, type TestResult } from "./test-result.ts";
import { renderTestJson } from "./test-wire.ts";

export type TestFlags = {
  readonly output: "pretty" | "json" | "github" | "junit";
  readonly junit?: string;
  readonly filter?: string;
  readonly verbose?: boolean;
  readonly coverage?: boolean;
  readonly watch?: boolean;
};

interface Tests<Source> {
  readonly kind: "blueprint" | "rule";
  readonly sources: () => Promise<readonly Source[]> | readonly Source[];
  readonly nameOf: (source: Source) => string;
  readonly test: (source: Source) => Promise<TestResult>;
  /** Files and folders whose change starts them again. */
  readonly watched: () => readonly string[];
}

/** Fails when a scenario fails, and as wrong usage when there is nothing to run. */
export async function runTests<Source>(cli: Cli, flags: TestFlags, tests: Tests<Source>): Promise<void> {
  if (flags.watch === true) return watchAndTest(cli, flags, tests);
  const results = await testOnce(cli, flags, tests);
  if (results.some(hasFailed)) throw new QuietFailure(EXIT.failure);
  if (results.every(({ report }) => report === undefined)) throw new QuietFailure(EXIT.usage);
}

async function testOnce<Source>(cli: Cli, flags: TestFlags, tests: Tests<Source>): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const source of await tests.sources())
    results.push(await withProgress(cli, `testing ${tests.nameOf(source)}`, tests.test(source)));
  const title = `busbar ${tests.kind} test`;
  const answer = renderAs(cli, results, { flags, tests, title });
  if (answer !== "") cli.stdout.write(`${answer}\n`);
  if (flags.junit !== undefined) {
    // Each run writes a new report, so an existing one is replaced.
    const saved = resolve(cli.cwd, flags.junit);
    mkdirSync(dirname(saved), { recursive: true });
    writeFileSync(saved, `${renderTestJunit(results, title)}\n`);
  }
  return results;
}

interface Rendering {
  readonly flags: TestFlags;
  readonly tests: Pick<Tests<never>, "kind">;
  readonly title: string;
}

function renderAs(cli: Cli, results: readonly TestResult[], { flags, tests, title }: Rendering): string {
  if (flags.output === "json")
    return JSON.stringify(renderTestJson(results, tests.kind, flags.verbose === true), null, 2);
  if (flags.output === "junit") return renderTestJunit(results, title);
  if (flags.output === "github") return renderTestGithub(results);
  const refused = results.flatMap((result) => result.refused ?? []);
  if (refused.length > 0) cli.stderr.write(`${renderReport(refused, cli.stderr.hasColors?.() === true)}\n`);
  const judged = results.filter((result) => result.refused === undefined);
  return judged.length === 0 ? "" : renderTestReport(judged, cli.stdout.hasColors?.() === true, flags);
}

/** Until the person interrupts. */
async function watchAndTest<Source>(cli: Cli, flags: TestFlags, tests: Tests<Source>): Promise<void> {
  const written = flags.junit === undefined ? undefined : resolve(cli.cwd, flags.junit);
  const stop = new AbortController();
  const unlisten = cli.onInterrupt?.(() => stop.abort());
  try {
    // Watched before anything is read, so that no change falls between.
    const changes = watchPaths(tests.watched(), stop.signal);
    for (let next = changes.next(); ; ) {
      await testOnce(cli, flags, tests);
      remark(cli, "waiting for changes; Ctrl-C ends");
      let change = await next;
      // Writing our own report must not trigger another run.
      while (change.done !== true && change.value.every((path) => path === written)) change = await changes.next();
      if (change.done === true) return;
      next = changes.next();
    }
  } finally {
    stop.abort();
    unlisten?.();
  }
}
