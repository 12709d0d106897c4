import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { checkUnpacked } from "#service/blueprint/check-package.ts";
import { renderReport } from "./lint-report.ts";
import { readSource, type Source } from "./read-source.ts";

/** The blueprint at a path. One with errors is reported as lint would, and ends the command. */
export async function readValidBlueprint(
  cli: Cli,
  path: string | undefined,
  profiles: ProfileLibrary = starterLibrary(),
): Promise<{ readonly blueprint: Blueprint; readonly source: Source }> {
  const source = await readSource(cli, path);
  const { blueprint, issues } = checkUnpacked(source.unpacked, profiles);
  if (blueprint !== undefined) return { blueprint, source };
  const errors = issues.filter(({ severity }) => severity === "error");
  const { name, folder, unpacked } = source;
  const result = { name, folder, issues: errors, text: unpacked.package?.manifest ?? "" };
  cli.stderr.write(`${renderReport([result], cli.stderr.hasColors?.() === true)}\n`);
  throw new QuietFailure(EXIT.failure);
}
