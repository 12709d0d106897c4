/** An address of a PostgreSQL database. It may name several servers, of which one is the primary at a time. */
export interface DatabaseAddress {
  /** The address of each server, as if it were alone. */
  readonly servers: readonly DatabaseServer[];
  /** Without name, password and parameters. */
  readonly shown: string;
}

export interface DatabaseServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

const FORM = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?(\?[^#]*)?$/;
const SESSION = "target_session_attrs";
const DEFAULT_PORT = 5432;
const MAX_SERVERS = 16;
/** Each of them would lead to another server than the address names. */
const ELSEWHERE = ["host", "hostaddr", "port"];

export type ParsedAddress = { readonly value: DatabaseAddress } | { readonly problems: readonly string[] };

export function parseDatabaseAddress(text: string): ParsedAddress {
  const [, scheme = "", login = "", hosts = "", path = "", query = ""] = FORM.exec(text) ?? [];
  if (hosts === "") return { problems: ["must be an address that starts with postgres:// or postgresql://"] };
  const named = hosts.split(",");
  const parameters = new URLSearchParams(query);
  const problems = [...sessionProblems(parameters), ...(named.length > 1 ? severalProblems(named, parameters) : [])];
  const rest = query === "" ? "" : withoutSession(parameters);
  const servers = named.flatMap((host) => {
    const server = parseServer(`${scheme}${login}${host}${path}${rest}`);
    if (server === undefined) problems.push(`has "${host}", which is no address or host name with or without a port`);
    return server ?? [];
  });
  const isTwice = new Set(servers.map(({ host, port }) => `${host}:${port}`)).size < servers.length;
  if (isTwice) problems.push("names a server twice");
  if (problems.length > 0) return { problems };
  const shown = `${scheme}${login === "" ? "" : "***@"}${hosts}${path}${query === "" ? "" : "?***"}`;
  return { value: { servers, shown } };
}

/** For an address that was parsed before, or that somebody gave a moment ago. */
export function requireDatabaseAddress(text: string): DatabaseAddress {
  const parsed = parseDatabaseAddress(text);
  if ("problems" in parsed) throw new Error(`the address of the database ${parsed.problems.join("; ")}`);
  return parsed.value;
}

function sessionProblems(parameters: URLSearchParams): readonly string[] {
  const wrong = parameters.getAll(SESSION).find((value) => value !== "read-write" && value !== "primary");
  return wrong === undefined
    ? []
    : [`has ${SESSION}=${wrong.slice(0, 40)}: Busbar always looks for the primary, so leave it out or use read-write`];
}

function severalProblems(named: readonly string[], parameters: URLSearchParams): string[] {
  const elsewhere = ELSEWHERE.filter((name) => parameters.has(name));
  return [
    ...(named.length > MAX_SERVERS ? [`names ${named.length} servers, and at most ${MAX_SERVERS} are possible`] : []),
    ...(elsewhere.length > 0 ? [`names several servers, so it cannot have the parameter ${elsewhere.join(", ")}`] : []),
  ];
}

/** Other parameters stay as they were given. */
function withoutSession(parameters: URLSearchParams): string {
  const kept = new URLSearchParams(parameters);
  kept.delete(SESSION);
  return kept.size === 0 ? "" : `?${kept}`;
}

function parseServer(url: string): DatabaseServer | undefined {
  const found = URL.canParse(url) ? new URL(url) : undefined;
  if (found === undefined || found.hostname === "") return undefined;
  return { url, host: found.hostname.replaceAll(/[[\]]/g, ""), port: Number(found.port || DEFAULT_PORT) };
}
