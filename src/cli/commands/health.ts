import type { Command } from "commander";
import { askAlive } from "#cli/ask-alive.ts";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printRecord } from "#cli/print.ts";
import { readFileIfPresent } from "#cli/read-file-if-present.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import { loadConfig } from "#config";

/** Succeeds when the server answers and says that it is ready for work. */
export function addHealthCommand(health: Command, cli: Cli): void {
  health.option(
    "--alive",
    "only check that the local server answers, with the port and TLS that are set here; for supervisors",
  );
  addConnectionOptions(addOutputOption(health)).action(async (flags: ClientFlags & { readonly alive?: true }) => {
    if (flags.alive === true) {
      if (flags.url !== undefined || flags.connection !== undefined) {
        throw new UsageError("--alive is about the local server; leave out --url and --connection");
      }
      const { config } = await loadConfig({ flags: [], env: cli.env, cwd: cli.cwd, readFile: readFileIfPresent });
      const server = `${await askAlive(config)} answers`;
      return await printRecord(cli, flags, { answer: { server }, fields: { server } });
    }
    const { client, wait } = await openSession(cli, flags);
    const alive = await wait(client.health());
    const ready = await wait(client.ready());
    const fields = Object.fromEntries(
      Object.entries({ ...alive, ...ready }).map(([key, value]) => [key, renderValue(value)]),
    );
    await printRecord(cli, flags, { answer: { ...alive, ...ready }, fields: { server: "ready", ...fields } });
  });
  addExamples(health, "health", "health --alive", "health --url https://busbar.example.org && echo up");
}
