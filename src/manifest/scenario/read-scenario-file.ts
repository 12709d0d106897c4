// What files with scenarios of blueprints and of rules have in common: one scenario, or several with the same surroundings.
import type { Issue } from "#core/blueprint/issue.ts";
import { readDocument } from "#manifest/read-document.ts";
import type * as r from "#manifest/reader.ts";
import { createReporter, positionFinder } from "#manifest/reporter.ts";
import { type Node, rootTrail } from "#manifest/tree.ts";

/** The default start time of a scenario: a Thursday in winter, so that nothing depends on today. */
export const DEFAULT_START = Date.UTC(2026, 0, 1);

interface GivenFile {
  readonly name?: string | undefined;
  readonly steps?: readonly unknown[] | undefined;
  readonly scenarios?: readonly unknown[] | undefined;
}

interface FileReading<F, C> {
  readonly file: r.Reader<F>;
  /** What readers of the file know besides `base`, some of it by a look at its keys. */
  readonly context: (base: r.ReadContext, node: Node) => C;
  /** What is wrong with it as a whole. */
  readonly problems?: (given: F) => readonly string[];
}

/** Any text is fine: nothing is thrown. `given` is undefined when there is an error among the issues. */
export function readScenarioFile<F extends GivenFile, C extends r.ReadContext>(
  source: string,
  { file, context, problems }: FileReading<F, C>,
): { readonly given: F | undefined; readonly issues: readonly Issue[] } {
  const reporter = createReporter(source, "scenario");
  const node = readDocument(reporter);
  if (node === undefined) return { given: undefined, issues: reporter.issues() };
  const root = rootTrail(node);
  const given = file.read(context({ reporter, positionOf: positionFinder(source) }, node), root);
  if (given !== undefined) {
    const isNeither = (given.steps === undefined) === (given.scenarios === undefined);
    const needed = isNeither ? ["A scenario needs either steps, or scenarios for several of them."] : [];
    for (const message of [...needed, ...(problems?.(given) ?? [])])
      if (!reporter.hasErrors()) reporter.atKey(root, { code: "missing_key", message });
  }
  return { given: reporter.hasErrors() ? undefined : given, issues: reporter.issues() };
}
