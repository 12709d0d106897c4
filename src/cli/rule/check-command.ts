// Whether a rule is right: by what the site has, where a server can be reached, and by its text alone otherwise.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { isForPeople } from "#cli/output-format.ts";
import { printAnswer, remark } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { openSession } from "#cli/session.ts";
import type { RuleDiagnostic } from "#client/resources.ts";
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import { lintRule } from "#core/lua/lint/lint-scripts.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { modulesBeside } from "./modules-beside.ts";
import { contentOf, readScript } from "./read-script.ts";
import { type SiteFlags, siteCommand, siteOf } from "./site-command.ts";

type CheckFlags = SiteFlags & { readonly offline?: true };

export function addChecking(rule: Command, cli: Cli): void {
  siteCommand(rule, "check <file>", "Check a rule: all mistakes with line and column, by what the site has.")
    .option("--offline", "check the text alone, without a server")
    .action(async (file: string, flags: CheckFlags) => {
      const diagnostics = await diagnosticsOf(cli, file, flags);
      const lines = diagnostics.map(
        ({ line, column, severity, message }) => `${file}:${line}:${column}: ${severity}: ${message}`,
      );
      const isWrong = diagnostics.some(({ severity }) => severity === "error");
      if (isForPeople(flags.output))
        for (const line of isWrong ? lines : [...lines, "the rule is valid"]) remark(cli, line);
      else await printAnswer(cli, flags, { diagnostics }, () => lines.join("\n"));
      if (isWrong) throw new QuietFailure(EXIT.failure);
    });
}

async function diagnosticsOf(cli: Cli, file: string, flags: CheckFlags): Promise<readonly RuleDiagnostic[]> {
  const script = readScript(cli, file, {});
  if (!flags.offline) {
    try {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      return (await session.wait(session.client.rules.check(site, script))).diagnostics;
    } catch (error) {
      // Who names a server or a site wants to hear why it does not answer.
      if (flags.url !== undefined || flags.siteId !== undefined || flags.connection !== undefined) throw error;
      remark(cli, "no server answers, so only the text is checked");
    }
  }
  const text = contentOf(resolve(cli.cwd, file)).toString("utf8");
  const issues =
    script.language === "lua"
      ? lintRule({ file: "", text, site: undefined, modules: modulesBeside(cli, file, text) })
      : parseRule(text).issues;
  return issues.map(renderDiagnostic);
}
