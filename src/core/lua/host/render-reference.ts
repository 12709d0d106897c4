// docs/lua-reference.md, made of the register of the host.
import type { HostApi, HostTable } from "./create-host-api.ts";
import type { HostMember } from "./parse-signature.ts";

const HEAD = `# Lua host, call by call

Every function, object and value that the host gives to a script, with its types. The page is made of the register that
also makes the [type stubs](lua.md#in-an-editor) and the lint. [lua-api.md](lua-api.md) explains the calls, with examples
and limits; [lua-v1.md](lua-v1.md) lists those of \`device/1.0\`.

A parameter in brackets may be left out. A type with \`?\` may be nil: a call that fails returns nil and an error text, or
only the text.
`;

export function renderReference({ globals, tables, aliases }: HostApi): string {
  const sections = [...tables.values()].flatMap((table) => {
    const rows = [...table.members].flatMap(([name, member]) => renderRow(table.name, name, member));
    return rows.length === 0 ? [] : [renderSection(table, rows)];
  });
  const values = [...globals].flatMap(([name, member]) =>
    member.kind === "value" && (member.about === "" || tables.has(name)) ? [] : renderRow("", name, member),
  );
  const types = [...aliases].map(([name, type]) => `| \`${name}\` | ${code(type)} |`);
  return [
    HEAD,
    `## Global values\n\n${HEADINGS}\n${values.join("\n")}\n`,
    ...sections,
    `## Types\n\nStubs of a blueprint say more about most of them: the names that its manifest declares.\n\n| type | is |\n|---|---|\n${types.join("\n")}\n`,
  ].join("\n");
}

const HEADINGS = "| call | returns | |\n|---|---|---|";

function renderSection({ name, about, others }: HostTable, rows: readonly string[]): string {
  const more = others === undefined ? [] : [`| \`[key]\` | ${code(others)} | any further key |`];
  return `## ${name}\n\n${about}\n\n${HEADINGS}\n${[...rows, ...more].join("\n")}\n`;
}

/** Objects are named by the last word of their class, as in `client:read()`, but for these. */
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ["enapter.CommandContext", "ctx"],
  ["enapter.ChildConfiguration", "child.configuration"],
]);

function renderRow(owner: string, name: string, member: HostMember): readonly string[] {
  const separator = member.kind === "function" && member.call === "colon" ? ":" : ".";
  const subject = SUBJECTS.get(owner) ?? /[A-Z][a-z]+$/.exec(owner)?.[0].toLowerCase() ?? owner;
  const place = owner === "" ? name : `${subject}${separator}${name}`;
  if (member.kind === "value")
    return member.about === "" ? [] : [`| \`${place}\` | ${code(member.type)} | ${member.about} |`];
  const parameters = member.parameters.map((one) =>
    one.isOptional ? `[${one.name}: ${one.type}]` : `${one.name}: ${one.type}`,
  );
  const returns = member.returns.map(code).join(", ");
  return [`| ${code(`${place}(${parameters.join(", ")})`)} | ${returns} | ${member.about} |`];
}

/** A bar would end the cell. */
function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
