import type { EventEmitter } from "node:events";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addOutputOption } from "./output-format.ts";
import { parseTimeout } from "./parse-timeout.ts";
import type { ClientFlags } from "./session.ts";
import { UsageError } from "./usage-error.ts";

/** A command that talks to a server: it takes the flags of `ClientFlags`. */
export function clientCommand(parent: Command, usage: string, about: string): Command {
  return addTimeoutOption(addClientOptions(parent.command(usage).description(about)));
}

/** A command that stays connected until what it follows has ended: its --timeout counts for all of that. */
export function addFollowOptions(command: Command, timeout: string): Command {
  return addClientOptions(command).option("--timeout <duration>", timeout, parseTimeout);
}

/** `timeout` is in milliseconds. */
export type FollowFlags = Omit<ClientFlags, "timeout"> & { readonly timeout?: number };

export function addConnectionOptions(command: Command): Command {
  return addTimeoutOption(addAddressOptions(command));
}

function addClientOptions(command: Command): Command {
  return addAddressOptions(addOutputOption(command));
}

function addTimeoutOption(command: Command): Command {
  const about = "how long to wait for an answer";
  return command.addOption(new Option("--timeout <duration>", about).default("75s").helpGroup(CONNECTION));
}

const CONNECTION = "Connection:";

function addAddressOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--url <address>", "address of the server (env BUSBAR_URL, default the local one)").helpGroup(
        CONNECTION,
      ),
    )
    .addOption(
      new Option("--ca <file>", "certificate of the authority that signed the server's (env BUSBAR_CA)").helpGroup(
        CONNECTION,
      ),
    )
    .addOption(
      new Option(
        "--token-file <file>",
        "file that holds the token (env BUSBAR_TOKEN or BUSBAR_TOKEN_FILE, default the local admin token)",
      ).helpGroup(CONNECTION),
    )
    .addOption(
      new Option(
        "--connection <name>",
        "a server that busbar login knows (env BUSBAR_CONNECTION, default the current one)",
      ).helpGroup(CONNECTION),
    );
}

export type WindowFlags = {
  readonly limit?: number;
  readonly offset?: number;
  readonly columns?: readonly string[];
};

/** A site goes by -s, --site and --site-id in all commands, whichever of them its help shows. */
export function addSiteAliases(command: Command): void {
  for (const inner of command.commands) addSiteAliases(inner);
  const site = command.options.find(({ long }) => long === "--site-id");
  if (site === undefined) return;
  const alias = new Option(site.short === "-s" ? "--site <site>" : "-s <site>").hideHelp();
  // A command is an emitter of events, which its types describe only in part.
  const emitter = command as unknown as EventEmitter;
  command.addOption(alias).on(`option:${alias.name()}`, (text: string) => emitter.emit("option:site-id", text));
}

/** The options of lists. */
export function addWindowOptions(command: Command): Command {
  return command
    .option("--columns <names>", "only these columns, in this order", collect)
    .option("--limit <count>", "print at most this many", parseCount)
    .option("--offset <count>", "leave out this many at the beginning", parseCount);
}

/** Examples below the help of a command. */
export function addExamples(command: Command, ...examples: readonly string[]): Command {
  return command.addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ busbar ${example}`).join("\n")}`);
}

/** An id may stand as an argument or behind its flag, but must stand somewhere. */
export function requireId(what: string, argument: string | undefined, flag: string | undefined): string {
  const given = argument ?? flag;
  if (argument !== undefined && flag !== undefined && argument !== flag) {
    throw new UsageError(`two different ${what}s are given: "${argument}" and "${flag}"`);
  }
  if (given === undefined || given === "" || given === "." || given === "..") {
    throw new UsageError(given === undefined ? `which ${what}? give its id` : `"${given}" is not the id of a ${what}`);
  }
  return given;
}

/** `--name a,b --name c` gives a, b, c. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  const found = text.split(",").map((part) => part.trim());
  return [...before, ...found.filter((part) => part !== "")];
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
