// Servers that a person signed in to, each under a name, with its token. They are kept in one file that only its owner can
// read.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Cli } from "./cli.ts";
import { readFileIfPresent } from "./read-file-if-present.ts";
import { UsageError } from "./usage-error.ts";

export interface Connection {
  readonly url: string;
  readonly token: string;
  /** The id of a token that was made for this connection alone: it ends with a logout. */
  readonly ownTokenId?: string;
}

export interface Connections {
  /** The one that is used when no other is named. */
  readonly current?: string | undefined;
  readonly byName: ReadonlyMap<string, Connection>;
}

export function connectionsFile({ env }: Pick<Cli, "env">): string {
  const home = env["HOME"] || env["USERPROFILE"] || ".";
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "busbar", "connections.json");
}

export function readConnections(cli: Pick<Cli, "env">): Connections {
  const file = connectionsFile(cli);
  const text = readFileIfPresent(file);
  if (text === undefined) return { byName: new Map() };
  try {
    const { current, connections } = JSON.parse(text) as { current?: unknown; connections?: unknown };
    const entries = Object.entries(connections as Record<string, Connection>);
    for (const [, { url, token }] of entries) {
      if (typeof url !== "string" || typeof token !== "string") throw new Error("a connection has a url and a token");
    }
    return { current: typeof current === "string" ? current : undefined, byName: new Map(entries) };
  } catch (error) {
    const why = error instanceof SyntaxError ? "it is not JSON" : "it does not hold connections";
    throw new UsageError(`${file} cannot be read: ${why}; delete it and sign in again with busbar login`);
  }
}

/** The whole file is replaced at once, so that nobody reads half of it. */
export function writeConnections(cli: Pick<Cli, "env">, { current, byName }: Connections): void {
  const file = connectionsFile(cli);
  if (byName.size === 0) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}.tmp`;
  const content = { current, connections: Object.fromEntries(byName) };
  writeFileSync(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, file);
}

/** The connection that a command uses: the named one, or the current one. */
export function findConnection(
  cli: Pick<Cli, "env">,
  named: string | undefined,
): { readonly name: string; readonly connection: Connection } | undefined {
  const { current, byName } = readConnections(cli);
  const name = named ?? current;
  if (name === undefined) return undefined;
  const connection = byName.get(name);
  if (connection !== undefined) return { name, connection };
  if (named === undefined) return undefined;
  const known = byName.size === 0 ? "there is none" : `there are ${[...byName.keys()].join(", ")}`;
  throw new UsageError(`there is no connection "${named}": ${known}; busbar login makes one`);
}
