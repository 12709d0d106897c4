import { RULE_CALLER } from "#core/control/claim.ts";
import type { Needs } from "#service/ports.ts";
import type { NameOfSource } from "./control-wire.ts";

const TOKEN = "token:";
const SCHEDULE = "schedule:";

/** The names of those who claim. Everybody who sees a control may see who controls it. */
export async function nameSources(
  { tokens, rules }: Pick<Needs, "tokens" | "rules">,
  sources: Iterable<string | undefined>,
): Promise<NameOfSource> {
  const names = new Map<string, string | null>();
  for (const source of new Set(sources)) {
    if (source === undefined) continue;
    // It may be one of the cloud. Its class says enough.
    if (source.startsWith(SCHEDULE)) continue;
    names.set(source, (await nameOf({ tokens, rules }, source)) ?? null);
  }
  return (source) => names.get(source) ?? null;
}

async function nameOf({ tokens, rules }: Pick<Needs, "tokens" | "rules">, source: string): Promise<string | undefined> {
  if (source.startsWith(TOKEN)) return await nameOfToken(tokens, source.slice(TOKEN.length));
  if (source.startsWith(RULE_CALLER)) return await rules.slugOf(source.slice(RULE_CALLER.length));
  const [kind = "", ...rest] = source.split(":");
  return rest.join(":") || kind;
}

/** Of a person's token both names, as in the audit log. */
async function nameOfToken(tokens: Needs["tokens"], id: string): Promise<string | undefined> {
  const token = await tokens.find(id);
  if (token?.accountId === undefined || token.accountId === token.id) return token?.name;
  const person = await tokens.find(token.accountId);
  return person === undefined ? token.name : `${person.name}: ${token.name}`;
}
