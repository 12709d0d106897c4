import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type Client, createClient } from "#client/create-client.ts";
import { type Config, loadConfig } from "#config";
import type { Cli } from "./cli.ts";
import { connectionsFile, findConnection } from "./connections.ts";
import { parseTimeout } from "./parse-timeout.ts";
import { withProgress } from "./progress.ts";
import { readFileIfPresent } from "./read-file-if-present.ts";
import { UsageError } from "./usage-error.ts";

/** Flags that every command that talks to a server takes. */
export type ClientFlags = {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly ca?: string;
  readonly timeout?: string;
  readonly output?: string;
  /** The name of a server that a person signed in to. */
  readonly connection?: string;
};

export type Session = {
  readonly client: Client;
  readonly token: string | undefined;
  /** The name of the connection that the address and the token are from, if they are from one. */
  readonly connection: string | undefined;
  /** The address of the server. */
  readonly url: URL;
  /** Waits for an answer and shows on a terminal that it does. */
  readonly wait: <T>(answer: Promise<T>) => Promise<T>;
};

/** `isNew` leaves out the servers that a person signed in to. */
type Wanted = ClientFlags & { readonly isNew?: boolean };

/** Finds the server and the token: flags, then environment, then where the person signed in, then the local server. */
export async function openSession(cli: Cli, flags: Wanted): Promise<Session> {
  const { config } = await loadConfig({ flags: [], env: cli.env, cwd: cli.cwd, readFile: readFileIfPresent });
  const given = flags.url ?? (cli.env["BUSBAR_URL"] || undefined);
  const named = flags.connection ?? (cli.env["BUSBAR_CONNECTION"] || undefined);
  if (flags.url !== undefined && flags.connection !== undefined)
    throw new UsageError("give --url or --connection, not both");
  const isLocal = given === undefined && named === undefined && flags.isNew === true;
  const signedIn =
    isLocal || (given !== undefined && flags.connection === undefined) ? undefined : findConnection(cli, named);
  const local = signedIn === undefined && given === undefined ? await localServer(config) : undefined;
  const url = parseAddress(signedIn?.connection.url ?? given ?? local?.url ?? "");
  const own = givenToken(cli, flags) ?? tokenOf(signedIn);
  const found = own ?? (isLoopback(url) && flags.isNew !== true ? localToken(config) : undefined);
  const token = found?.token;
  tokenSources.set(cli, found?.source ?? sourcesTried(cli, { config, url, connection: signedIn?.name }));
  const ca = flags.ca ?? (cli.env["BUSBAR_CA"] || undefined);
  if (ca !== undefined) trustAuthority(resolve(cli.cwd, ca), flags.ca === undefined ? "BUSBAR_CA" : "--ca");
  else if (local?.authorities !== undefined) trust(local.authorities);
  const client = createClient({
    url: url.href,
    token,
    door: "cli",
    headerPrefix: config.http.headerPrefixes[0],
    timeout: flags.timeout === undefined ? undefined : parseTimeout(flags.timeout),
  });
  const wait = <T>(answer: Promise<T>) => withProgress(cli, `waiting for ${url.host}`, answer);
  return { client, token, connection: signedIn?.name, url, wait };
}

interface FoundToken {
  readonly token: string;
  /** Where it was, for people; never the token itself. */
  readonly source: string;
}

/** Where the token of the last session of a run came from, or where it was looked for. */
const tokenSources = new WeakMap<Cli, string>();

/** For the message about a call that was refused with 401; undefined if no session was opened. */
export const tokenSourceOf = (cli: Cli): string | undefined => tokenSources.get(cli);

function givenToken(cli: Cli, flags: ClientFlags): FoundToken | undefined {
  if (flags.tokenFile !== undefined) {
    return {
      token: readTokenFile(flags.tokenFile, "--token-file"),
      source: `the token came from --token-file ${flags.tokenFile}`,
    };
  }
  const { BUSBAR_TOKEN: token, BUSBAR_TOKEN_FILE: file } = cli.env;
  if (token) return { token, source: "the token came from BUSBAR_TOKEN" };
  if (!file) return undefined;
  return { token: readTokenFile(file, "BUSBAR_TOKEN_FILE"), source: `the token came from ${file} (BUSBAR_TOKEN_FILE)` };
}

function tokenOf(signedIn: ReturnType<typeof findConnection>): FoundToken | undefined {
  const token = signedIn?.connection.token;
  return token === undefined ? undefined : { token, source: `the token came from the connection ${signedIn?.name}` };
}

function sourcesTried(
  cli: Cli,
  { config, url, connection }: { readonly config: Config; readonly url: URL; readonly connection: string | undefined },
): string {
  const kept =
    connection === undefined
      ? `no connection of ${connectionsFile(cli)} is used`
      : `the connection ${connection} has none`;
  const local = isLoopback(url)
    ? `there is no ${join(config.data, "admin.token")} (the data folder of the local settings)`
    : "the local admin token is not sent to another machine";
  return `no token was sent: --token-file, BUSBAR_TOKEN and BUSBAR_TOKEN_FILE are not set, ${kept}, and ${local}`;
}

/** For all connections of this process, besides the authorities that Node knows. */
function trustAuthority(path: string, origin: string): void {
  const text = readFileIfPresent(path);
  if (text === undefined || !text.includes("-----BEGIN CERTIFICATE-----")) {
    throw new UsageError(`${origin}: ${path} ${text === undefined ? "is not there" : "holds no certificate (PEM)"}`);
  }
  trust([text]);
}

function trust(authorities: readonly string[]): void {
  setDefaultCACertificates([...getCACertificates("default"), ...authorities]);
}

/** The admin token of the local data folder is never sent to another machine. */
function localToken(config: Config): FoundToken | undefined {
  const set = config.admin.token?.reveal();
  if (set !== undefined) return { token: set, source: "the token came from BUSBAR_ADMIN_TOKEN" };
  const file = join(config.data, "admin.token");
  const token = readFileIfPresent(file)?.trim();
  return token === undefined ? undefined : { token, source: `the token came from ${file}` };
}

function readTokenFile(path: string, origin: string): string {
  try {
    const token = readFileSync(path, "utf8").trim();
    if (token !== "") return token;
  } catch (error) {
    throw new UsageError(
      `${origin}: cannot read ${path} (${error instanceof Error && "code" in error ? error.code : error})`,
    );
  }
  throw new UsageError(`${origin}: ${path} is empty`);
}

/** The server that the settings of this machine describe. */
async function localServer(config: Config): Promise<{ url: string; authorities?: readonly string[] }> {
  const { host, port, http } = config;
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const address = (scheme: string, name: string) => `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`;
  if (http.tls === "off" && http.tlsCert === undefined) return { url: address("http", reachable) };
  const { localCertificate } = await import("./local-certificate.ts");
  const { name, authorities } = localCertificate(config, reachable);
  return { url: address("https", name), authorities };
}

function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${text}" is not the address of a server; write it like http://127.0.0.1:8080`);
  }
  return url;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
