import { refuse } from "#core/app-error.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { Needs } from "#service/ports.ts";

const PAGE = 1_000;

/**
 * A blueprint by its name and tag instead of its id. The name is the display name in any spelling: `Roof inverter`,
 * `roof-inverter` and `roof_inverter` are the same. The tag is `latest` or a version.
 */
export async function findNamedBlueprint(
  { blueprints }: Pick<Needs, "blueprints">,
  name: string,
  tag: string,
): Promise<StoredBlueprint> {
  const wanted = plainName(name);
  const version = /^v?(\d{1,9})$/i.exec(tag)?.[1];
  const isTagged = (blueprint: StoredBlueprint) =>
    version === undefined ? tag.toLowerCase() === "latest" : blueprint.version === Number(version);
  // The newest come first, so the first one of the name is the latest.
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await blueprints.list({ limit: PAGE, offset });
    const found = items.find((one) => plainName(one.displayName) === wanted && isTagged(one));
    if (found !== undefined) return found;
    if (items.length < PAGE) break;
  }
  throw refuse("not_found", `there is no blueprint ${JSON.stringify(`${name}:${tag}`.slice(0, 100))}`);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
