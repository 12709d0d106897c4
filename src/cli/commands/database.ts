import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";
import { remark } from "#cli/print.ts";
import { readFileIfPresent } from "#cli/read-file-if-present.ts";
import { loadConfig } from "#config";

const ABOUT = `
Reads database.url like serve. All nodes have to be stopped. Everything is one transaction: one that is cut off leaves all tables
where they were. A new database of Citus needs no such command, because its tables are spread when they are made.`;

export function addDatabaseCommands(database: Command, cli: Cli): void {
  const spread = database
    .command("spread")
    .description("Spread the tables of an installation over the servers of Citus.")
    .addHelpText("after", ABOUT)
    .action(async () => {
      const { config } = await loadConfig({ flags: [], env: cli.env, cwd: cli.cwd, readFile: readFileIfPresent });
      const isDone = await cli.spreadDatabase({ config, say: (text) => remark(cli, text) });
      cli.stdout.write(isDone ? "the tables are spread\n" : "the tables were spread before; nothing was changed\n");
    });
  addExamples(spread, "database spread");
}
