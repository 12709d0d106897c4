import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand } from "#cli/client-command.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import type { SystemSetting } from "#client/resources.ts";

export function addSettingCommands(setting: Command, cli: Cli): void {
  addExamples(
    setting,
    "setting list",
    "setting set telemetry.retention 2y",
    "setting set lua.allow battery-1=10.0.0.5:502,meter=private",
    "setting reset telemetry.retention",
  );
  clientCommand(setting, "list", "List the settings that can be changed while Busbar runs.").action(
    async (flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.system.settings());
      await printTable(cli, flags, { answer, rows: answer.settings, columns: COLUMNS });
    },
  );
  clientCommand(setting, "set <name> <value>", "Change a setting. It holds at once, and after restarts.").action(
    async (name: string, value: string, flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.system.putSetting(name, value));
      await printAnswer(cli, flags, answer, () => describe(answer.setting));
    },
  );
  clientCommand(setting, "reset <name>", "Let what is configured hold again.").action(
    async (name: string, flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.system.resetSetting(name));
      await printAnswer(cli, flags, answer, () => describe(answer.setting));
    },
  );
}

const describe = ({ name, value }: SystemSetting) => `${name} is ${value === "" ? "empty" : value} now`;

const COLUMNS: Columns<SystemSetting> = {
  SETTING: ({ name }) => name,
  VALUE: ({ value }) => value,
  CONFIGURED: ({ configured, changed }) => (changed ? configured : ""),
};
