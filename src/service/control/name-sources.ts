import type { Needs } from "#service/ports.ts";
import type { NameOfSource } from "./control-wire.ts";

const TOKEN = "token:";
const SCHEDULE = "schedule:";

/** The names of those who claim. Everybody who sees a control may see who controls it. */
export async function nameSources(
  { tokens }: Pick<Needs, "tokens">,
  sources: Iterable<string | undefined>,
): Promise<NameOfSource> {
  const names = new Map<string, string | null>();
  for (const source of new Set(sources)) {
    if (source === undefined) continue;
    // It may be one of the cloud. Its class says enough.
    if (source.startsWith(SCHEDULE)) continue;
    const [kind = "", ...rest] = source.split(":");
    const name = source.startsWith(TOKEN)
      ? (await tokens.find(source.slice(TOKEN.length)))?.name
      : rest.join(":") || kind;
    names.set(source, name ?? null);
  }
  return (source) => names.get(source) ?? null;
}
