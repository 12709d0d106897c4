import { type Retention, retentionMs, type SiteRetention, UNLIMITED } from "#core/telemetry/retention.ts";
import { instant } from "#core/time/instant.ts";
import { allPages } from "#service/all-pages.ts";
import type { DropChoice } from "#service/ports/telemetry-store.ts";
import type { Needs } from "#service/ports.ts";

export type RetentionNeeds = Pick<Needs, "sites" | "devices" | "retentions" | "telemetry" | "now">;

/** The most pieces that one round drops, so that it ends soon; the next round goes on. */
const MAX_DROPPED = 100_000;

/** Drops data that no rule keeps any longer, in small steps. Returns how many pieces. */
export async function enforceRetention(needs: RetentionNeeds, fallback: Retention): Promise<number> {
  let dropped = 0;
  for await (const site of allPages((page) => needs.sites.list("all", page))) {
    const choices = choicesOf(await needs.retentions.get(site.id), fallback);
    if (choices.length === 0) continue;
    for await (const device of allPages((page) => needs.devices.list({ scope: "all", siteId: site.id }, page))) {
      for (const rule of choices) dropped += await dropSome(needs, device.id, { ...rule, most: MAX_DROPPED - dropped });
      if (dropped >= MAX_DROPPED) return dropped;
    }
  }
  return dropped;
}

interface Rule {
  readonly choice: DropChoice;
  readonly kept: Retention;
}

/**
 * One rule per length of time, and one for all attributes without their own. Rules that keep everything are left out.
 */
function choicesOf(site: SiteRetention, fallback: Retention): readonly Rule[] {
  const named = new Map<Retention, string[]>();
  for (const [attribute, kept] of site.attributes) named.set(kept, [...(named.get(kept) ?? []), attribute]);
  const rules: Rule[] = [...named].map(([kept, only]) => ({ choice: { only }, kept }));
  rules.push({ choice: { except: [...site.attributes.keys()] }, kept: site.fallback ?? fallback });
  return rules.filter(({ kept }) => kept !== UNLIMITED);
}

/** Each step is small, so that arriving points wait for at most one. */
async function dropSome(
  { telemetry, now }: RetentionNeeds,
  deviceId: string,
  { choice, kept, most }: Rule & { readonly most: number },
): Promise<number> {
  const before = instant(now() - retentionMs(kept));
  let all = 0;
  while (all < most) {
    const dropped = await telemetry.drop(deviceId, choice, before);
    if (dropped === 0) break;
    all += dropped;
  }
  return all;
}
