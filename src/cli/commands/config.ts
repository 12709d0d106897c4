import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printTable } from "#cli/print.ts";
import { readFileIfPresent } from "#cli/read-file-if-present.ts";
import { settingsHelp } from "#cli/settings-help.ts";
import { type ConfigEntry, loadConfig } from "#config";
import { joinQuotedList } from "#core/text/quoted-list.ts";

/** Accepts the flags of `serve`, so that a change can be tried before it is made. */
export function addConfigCommand(command: Command, cli: Cli): void {
  addOutputOption(command)
    .usage("[options] [settings]")
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", settingsHelp)
    .action(async (flags: { readonly output: string }) => {
      const { origins } = await loadConfig({
        flags: command.args,
        env: cli.env,
        cwd: cli.cwd,
        readFile: readFileIfPresent,
      });
      await printTable(cli, flags, { answer: { settings: origins }, rows: origins, columns: COLUMNS });
    });
  addExamples(command, "config", "config --port 9000 -o json");
}

const COLUMNS = {
  SETTING: (entry: ConfigEntry) => entry.name,
  VALUE: ({ value }: ConfigEntry) => (Array.isArray(value) ? joinQuotedList(value) : String(value ?? "")),
  FROM: (entry: ConfigEntry) => entry.origin,
};
