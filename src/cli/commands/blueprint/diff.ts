import { styleFor } from "#cli/blueprint/code-frame.ts";
import { plural } from "#cli/blueprint/lint-report.ts";
import { readValidBlueprint } from "#cli/blueprint/read-valid-blueprint.ts";
import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { printAnswer } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import type { BlueprintChange } from "#core/blueprint/blueprint-change.ts";
import { type BlueprintDiff, diffBlueprints } from "#core/blueprint/diff-blueprints.ts";
import { printable } from "#core/text/printable.ts";

export type DiffFlags = { readonly output: string; readonly exitCode?: boolean };

/** What changes for the users of a device when NEW replaces OLD. With --exit-code, breaking changes fail. */
export async function diff(cli: Cli, [old, next]: readonly [string, string], flags: DiffFlags): Promise<void> {
  const { blueprint: before } = await readValidBlueprint(cli, old);
  const { blueprint: after } = await readValidBlueprint(cli, next);
  const found = diffBlueprints(before, after);
  const answer = { breaking: found.isBreaking, changes: found.changes };
  await printAnswer(cli, flags, answer, (colour) => renderDiff(found, colour));
  if (flags.exitCode === true && found.isBreaking) throw new QuietFailure(EXIT.failure);
}

function renderDiff({ changes }: BlueprintDiff, colour: boolean): string {
  if (changes.length === 0) return "The blueprints say the same.";
  const style = styleFor(colour);
  const breaking = changes.filter((change) => change.breaking);
  const compatible = changes.filter((change) => !change.breaking && change.kind !== "text");
  const texts = changes.filter((change) => change.kind === "text");
  const section = (heading: string, list: readonly BlueprintChange[]) =>
    list.length === 0
      ? []
      : [[style("bold", heading), ...list.map(({ message }) => `  ${printable(message)}`)].join("\n")];
  return [
    ...section(style("error", "Breaking"), breaking),
    ...section("Compatible", compatible),
    ...section("Only texts", texts),
    `${plural(changes.length, "change")}, ${breaking.length} breaking.`,
  ].join("\n\n");
}
