import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";
import { remark } from "#cli/print.ts";
import { readFileIfPresent } from "#cli/read-file-if-present.ts";
import { loadConfig } from "#config";

const ABOUT = `
Reads database.url and mqtt.url like serve, from the environment or busbar.yaml. Writes passwords and acl into the folder:
each device signs in with its hardware_id and its password, and uses its own topics only. A file that has not changed is
left alone. Run it again whenever devices are added, removed or get new secrets; nodes may run meanwhile.`;

const SHOWN = 5;

export function addBrokerCommands(broker: Command, cli: Cli): void {
  const files = broker
    .command("files")
    .description("Write the password and ACL files of Mosquitto for all devices.")
    .requiredOption("--dir <folder>", "where to write them")
    .option("--reload <pid file>", "make Mosquitto read them again when one has changed")
    .addHelpText("after", ABOUT)
    .action(async ({ dir, reload }: { readonly dir: string; readonly reload?: string }) => {
      const { config } = await loadConfig({ flags: [], env: cli.env, cwd: cli.cwd, readFile: readFileIfPresent });
      const { devices, unknown, changed } = await cli.writeBrokerFiles({ config, folder: dir, pidFile: reload });
      if (unknown.length > 0) {
        const some = unknown.slice(0, SHOWN).join(", ");
        const more = unknown.length > SHOWN ? " and others" : "";
        remark(cli, `${unknown.length} devices are left out, because they sign in with certificates: ${some}${more}`);
      }
      const what = changed.length === 0 ? "nothing has changed" : `${changed.join(" and ")} written`;
      cli.stdout.write(`${devices} devices; ${what}\n`);
    });
  addExamples(files, "broker files --dir /etc/mosquitto --reload /run/mosquitto/mosquitto.pid");
}
