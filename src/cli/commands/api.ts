import { type Command, InvalidArgumentError } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";

const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;
type Method = (typeof METHODS)[number];

type ApiFlags = ClientFlags & {
  readonly data?: string;
  readonly header?: readonly (readonly [string, string])[];
};

/** Any call of the HTTP interface, with the address and the token of every other command. */
export function addApiCommand(api: Command, cli: Cli): void {
  addConnectionOptions(
    api
      .argument("<method>", METHODS.join(", "), parseMethod)
      .argument("<path>", "such as /v3/sites?limit=5; /docs lists them all")
      .option("-d, --data <body>", "the body: JSON, @FILE, or @- for standard input")
      .option("-H, --header <name: value>", "a header; may be repeated", parseHeader),
  ).action(async (method: Method, path: string, flags: ApiFlags) => {
    if (!path.startsWith("/")) throw new UsageError(`the path must begin with /, such as /v3/sites, not "${path}"`);
    const { client, wait } = await openSession(cli, flags);
    const headers = Object.fromEntries(flags.header ?? []);
    const content = await bodyOf(cli, flags.data);
    const type = headers["Content-Type"] ?? headers["content-type"] ?? "application/json";
    const bytes = await wait(
      client.call({ method, path, headers, ...(content !== undefined && { bytes: { type, content } }) }),
    );
    cli.stdout.write(readable(bytes));
  });
  addExamples(
    api,
    "api GET /v3/sites",
    `api POST /v3/sites --data '{"name":"Plant 1"}'`,
    `api POST /telemetry/v1/timeseries --data @query.json -H "Accept: application/json"`,
  );
}

function parseMethod(text: string): Method {
  const found = METHODS.find((method) => method === text.toUpperCase());
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${METHODS.join(", ")}.`);
  return found;
}

function parseHeader(text: string, before: readonly (readonly [string, string])[] = []) {
  const colon = text.indexOf(":");
  if (colon <= 0) throw new InvalidArgumentError('Write it like "Prefer: wait=5".');
  return [...before, [text.slice(0, colon).trim(), text.slice(colon + 1).trim()] as const];
}

async function bodyOf(cli: Cli, data: string | undefined): Promise<Uint8Array | undefined> {
  if (data === undefined) return undefined;
  if (!data.startsWith("@")) return new TextEncoder().encode(data);
  if (data === "@-") {
    if (cli.readInput === undefined) throw new UsageError("there is no standard input to read the body from");
    return await cli.readInput();
  }
  const [{ readFileSync }, { resolve }] = await Promise.all([import("node:fs"), import("node:path")]);
  try {
    return readFileSync(resolve(cli.cwd, data.slice(1)));
  } catch (error) {
    const why = error instanceof Error && "code" in error ? error.code : error;
    throw new UsageError(`--data: cannot read ${data.slice(1)} (${why})`);
  }
}

/** JSON is laid out for people; everything else is printed as it came. */
function readable(bytes: Uint8Array): string | Uint8Array {
  const text = new TextDecoder().decode(bytes);
  if (!text.startsWith("{") && !text.startsWith("[")) return bytes;
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return bytes;
  }
}
