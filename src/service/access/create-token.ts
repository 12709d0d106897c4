import type { AccessLevel } from "#core/access/level.ts";
import { formatToken, SECRET_BYTES } from "#core/access/token.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { instant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { accessTarget, grantableSites, requireGrantableLevel } from "#service/access/grant.ts";
import { hashSecret } from "#service/access/hash-secret.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface TokenInput {
  readonly name: string;
  readonly level: AccessLevel;
  /** Undefined means all sites. */
  readonly siteIds: readonly string[] | undefined;
  readonly expiresInMs: number | undefined;
  /** It stays when the person who makes it goes. Without a person every token does. */
  readonly ofInstallation: boolean;
}

type CreateTokenNeeds = Pick<Needs, "tokens" | "sites" | "now" | "newId" | "randomBytes">;

/** The text in the answer is the only copy of the secret that will ever exist. */
export async function createToken(
  needs: CreateTokenNeeds,
  call: Call,
  input: TokenInput,
): Promise<{ readonly id: string; readonly text: string }> {
  requireGrantableLevel(call.caller, input.level);
  const sites = await grantableSites(needs, call.caller, input);
  const { accountId } = call.caller;
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
    ...(accountId !== undefined && !input.ofInstallation && { accountId }),
  };
  const trail = auditTrail(needs, call, {
    target: accessTarget(token),
    details: { name: input.name, level: input.level, site_ids: input.siteIds ?? null },
  });
  await needs.tokens.insert(token, trail);
  return { id, text };
}
