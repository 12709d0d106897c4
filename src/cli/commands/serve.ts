import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";
import { readFileIfPresent } from "#cli/read-file-if-present.ts";
import { settingsHelp } from "#cli/settings-help.ts";
import { loadConfig } from "#config";
import { createLogger } from "#log";

/** Flags are read by the configuration itself, so that all of its problems are reported together. */
export function addServeCommand(serve: Command, cli: Cli): void {
  serve.usage("[settings]").allowUnknownOption().allowExcessArguments();
  serve.addHelpText("after", settingsHelp);
  addExamples(serve, "serve --demo", "serve --port 9000 --data /var/lib/busbar", "serve --config /etc/busbar.yaml");
  serve.action(async () => {
    const input = { flags: serve.args, env: cli.env, cwd: cli.cwd, readFile: readFileIfPresent };
    const { config, file } = await loadConfig(input);
    await cli.serve({ ...config, file }, createLogger(config.log, cli.stderr));
  });
}
