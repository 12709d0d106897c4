import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printRecord } from "#cli/print.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";

/** Succeeds when the server answers and says that it is ready for work. */
export function addHealthCommand(health: Command, cli: Cli): void {
  addConnectionOptions(addOutputOption(health)).action(async (flags: ClientFlags) => {
    const { client, wait } = await openSession(cli, flags);
    const alive = await wait(client.health());
    const ready = await wait(client.ready());
    const fields = Object.fromEntries(
      Object.entries({ ...alive, ...ready }).map(([key, value]) => [key, renderValue(value)]),
    );
    await printRecord(cli, flags, { answer: { ...alive, ...ready }, fields: { server: "ready", ...fields } });
  });
  addExamples(health, "health", "health --url https://busbar.example.org && echo up");
}
