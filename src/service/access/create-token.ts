import { scopeContains, seesSite } from "#core/access/caller.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import { formatToken, SECRET_BYTES } from "#core/access/token.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import { instant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { hashSecret } from "#service/access/hash-secret.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface TokenInput {
  readonly name: string;
  readonly level: AccessLevel;
  /** Undefined means all sites. */
  readonly siteIds: readonly string[] | undefined;
  readonly expiresInMs: number | undefined;
}

type CreateTokenNeeds = Pick<Needs, "tokens" | "sites" | "now" | "newId" | "randomBytes">;

/** The text in the answer is the only copy of the secret that will ever exist. */
export async function createToken(
  needs: CreateTokenNeeds,
  call: Call,
  input: TokenInput,
): Promise<{ readonly id: string; readonly text: string }> {
  const { caller } = call;
  if (input.level === "system") {
    throw refuse("forbidden", "level system belongs to the admin token alone", { pointer: "/level" });
  }
  if (!allows(caller.level, input.level)) {
    throw refuse("forbidden", `the token has level ${caller.level} and cannot grant ${input.level}`, {
      pointer: "/level",
    });
  }
  const sites = input.siteIds === undefined ? "all" : new Set(input.siteIds);
  if (sites === "all" && !scopeContains(caller.sites, sites)) {
    throw refuse("forbidden", "the token is limited to some sites and cannot grant all; name them in site_ids", {
      pointer: "/site_ids",
    });
  }
  for (const [index, siteId] of (input.siteIds ?? []).entries()) {
    if (!seesSite(caller, siteId) || (await needs.sites.find(siteId)) === undefined) {
      throw refuse("not_found", `there is no site ${siteId}`, { pointer: `/site_ids/${index}` });
    }
  }
  const id = needs.newId();
  const text = formatToken(id, needs.randomBytes(SECRET_BYTES));
  const now = needs.now();
  const token: TokenRecord = {
    id,
    name: input.name,
    level: input.level,
    sites,
    hash: hashSecret(text),
    createdAt: now,
    expiresAt: input.expiresInMs === undefined ? undefined : instant(now + input.expiresInMs),
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  const only = sites !== "all" && sites.size === 1 ? [...sites][0] : undefined;
  const trail = auditTrail(needs, call, {
    target: { tokenId: id, ...(only !== undefined && { siteId: only }) },
    details: { name: input.name, level: input.level, site_ids: input.siteIds ?? null },
  });
  await needs.tokens.insert(token, trail);
  return { id, text };
}
