import type { Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { listAll } from "#client/list-all.ts";

type Build = (argv: readonly string[]) => Promise<Command>;

/** The words that may stand at the cursor, which is at the end of the last word. */
export async function candidates(cli: Cli, build: Build, words: readonly string[]): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? "";
  const place = findPlace(await build(before), before);
  const found = await wordsAt(cli, place, typed);
  return [...new Set(found)].filter((word) => word.startsWith(typed)).sort();
}

/** Where the cursor is: in which command, behind which option, after how many arguments. */
interface Place {
  readonly command: Command;
  readonly option: Option | undefined;
  readonly given: readonly string[];
  readonly flags: ClientFlags;
}

function findPlace(program: Command, words: readonly string[]): Place {
  let command = program;
  let option: Option | undefined;
  let given: string[] = [];
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (option !== undefined) {
      flags[option.attributeName()] = word;
      option = undefined;
    } else if (word.startsWith("-")) {
      const found = command.options.find(({ long, short }) => word === long || word === short);
      option = found !== undefined && !found.isBoolean() ? found : undefined;
    } else {
      const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (next === undefined) given = [...given, word];
      else command = next;
    }
  }
  return { command, option, given, flags };
}

async function wordsAt(cli: Cli, { command, option, given, flags }: Place, typed: string): Promise<readonly string[]> {
  const names = (what: string) => liveNames(cli, flags, { what, given });
  if (option !== undefined) return option.argChoices ?? (await names(option.long ?? ""));
  if (typed.startsWith("-")) {
    return command.options.flatMap(({ long, hidden }) => (long === null || long === undefined || hidden ? [] : [long]));
  }
  const declared = command.registeredArguments;
  const argument = declared[Math.min(given.length, declared.length - 1)];
  const isOver = argument === undefined || (given.length >= declared.length && !argument.variadic);
  const verbs = command.commands.filter((one) => !one.name().startsWith("_")).map((one) => one.name());
  return isOver ? verbs : [...verbs, ...(argument.argChoices ?? (await names(argument.name())))];
}

interface Wanted {
  /** The name of an argument or of an option. */
  readonly what: string;
  readonly given: readonly string[];
}

/** A person waits for each of them. */
const PATIENCE = "2s";

/** What the server has. Without a server there are none. */
async function liveNames(cli: Cli, flags: ClientFlags, { what, given }: Wanted): Promise<readonly string[]> {
  const kind = /device|parent|runtime/.test(what) ? "device" : /site/.test(what) ? "site" : what;
  const read = { device: deviceNames, site: siteNames, command: commandNames, connection: undefined }[kind];
  if (kind === "--connection" || kind === "name") return await connectionNames(cli);
  if (read === undefined) return [];
  try {
    // Nothing is shown while it waits: the terminal belongs to the shell.
    const session = await openSession({ ...cli, stderr: { write: () => true } }, { ...flags, timeout: PATIENCE });
    return await read(session, given);
  } catch {
    return [];
  }
}

async function deviceNames({ client }: Session): Promise<readonly string[]> {
  const devices = await Array.fromAsync(listAll("devices", client.devices.list));
  return devices.map(({ slug, id }) => slug || id);
}

async function siteNames({ client }: Session): Promise<readonly string[]> {
  const sites = await Array.fromAsync(listAll("sites", client.sites.list));
  // A name with a space would be two words.
  return sites.map(({ id, name }) => (/\s/.test(name) ? id : name));
}

/** The commands of the device that stands before. */
async function commandNames({ client }: Session, [device]: readonly string[]): Promise<readonly string[]> {
  if (device === undefined) return [];
  const { manifest } = await client.devices.manifest(device);
  const declared = (manifest as { readonly commands?: unknown }).commands;
  return typeof declared === "object" && declared !== null ? Object.keys(declared) : [];
}

async function connectionNames(cli: Cli): Promise<readonly string[]> {
  const { readConnections } = await import("#cli/connections.ts");
  return [...readConnections(cli).byName.keys()];
}
