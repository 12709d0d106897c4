// A command as a line to copy: for curl, for the command line of Busbar, and for a program.
import type { Command } from "#web/data/manifest.ts";

export type Request = {
  /** Of the gateway: `https://gateway.example`. */
  readonly origin: string;
  /** Id or slug. */
  readonly device: string;
  readonly command: Command;
  readonly values: Readonly<Record<string, unknown>>;
  readonly ephemeral: boolean;
};

/** Secrets are never copied: a shell keeps its history, and people share lines. */
function safeValues({ command, values }: Request): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(command, name) ? `<${name}>` : value]),
  );
}

const isSecret = (command: Command, name: string) => command.arguments.get(name)?.sensitive === true;

const bodyOf = (request: Request) => ({
  name: request.command.id,
  arguments: safeValues(request),
  ...(request.ephemeral && { ephemeral: true }),
});

const addressOf = ({ origin, device }: Request) =>
  `${origin}/v3/devices/${encodeURIComponent(device)}/commands/execute`;

export function asCurl(request: Request): string {
  return [
    `curl -sS ${quote(addressOf(request))} \\`,
    `  -H "X-Service-Auth-Token: $BUSBAR_TOKEN" \\`,
    `  -d ${quote(JSON.stringify(bodyOf(request)))}`,
  ].join("\n");
}

export function asCli(request: Request): string {
  const { device, command, values, ephemeral } = request;
  const words = Object.entries(values).map(([name, value]) => assignment(request, name, value));
  return ["busbar run", quote(device), quote(command.id), ...words, ...(ephemeral ? ["--ephemeral"] : [])].join(" ");
}

/** `name` alone asks for the value; `name:=` takes JSON as it is. */
function assignment({ command }: Request, name: string, value: unknown): string {
  if (isSecret(command, name)) return quote(name);
  // A text that begins with @ would name a file.
  const isPlain =
    typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && !value.startsWith("@"));
  return isPlain ? quote(`${name}=${value}`) : `${quote(`${name}:=`)}${quote(JSON.stringify(value))}`;
}

export function asTypeScript(request: Request): string {
  return [
    `const response = await fetch(${JSON.stringify(addressOf(request))}, {`,
    `  method: "POST",`,
    `  headers: { "Content-Type": "application/json", "X-Service-Auth-Token": process.env.BUSBAR_TOKEN ?? "" },`,
    `  body: JSON.stringify(${JSON.stringify(bodyOf(request), null, 2).replaceAll("\n", "\n  ")}),`,
    `});`,
    `if (!response.ok) throw new Error(await response.text());`,
    `const { execution } = await response.json();`,
    `console.log(execution.state, execution.response?.payload);`,
  ].join("\n");
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
