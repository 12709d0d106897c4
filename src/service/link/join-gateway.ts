// How a gateway joins a cloud: the cloud makes a code that works once, and the gateway exchanges it for a credential of
// its own.

import { formatToken, SECRET_BYTES, tokenIdOf } from "#core/access/token.ts";
import { type Refusal, refuse } from "#core/app-error.ts";
import type { Gateway, JoinCode } from "#core/link/gateway.ts";
import { MistakeList, refuseMistakes } from "#core/mistakes.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { hashSecret, sameHash } from "#service/access/hash-secret.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import type { Links } from "#service/link/links.ts";
import type { Call, Needs } from "#service/ports.ts";

type GatewayNeeds = Pick<Needs, "gateways" | "now" | "newId" | "randomBytes">;

export interface NewJoinCode extends Pick<JoinCode, "name" | "replaces" | "siteIds"> {
  readonly expiresInMs: number;
}

/** The code in the answer is its only copy. */
export async function createJoinCode(
  needs: GatewayNeeds,
  call: Call,
  { name, replaces, siteIds, expiresInMs }: NewJoinCode,
): Promise<{ readonly id: string; readonly code: string; readonly expiresAt: Instant }> {
  requireAllSites(call.caller);
  await requireTakeable(needs, { replaces, siteIds });
  const id = needs.newId();
  const code = formatToken(id, needs.randomBytes(SECRET_BYTES));
  const createdAt = needs.now();
  const expiresAt = instant(createdAt + expiresInMs);
  const trail = auditTrail(needs, call, {
    target: {},
    details: {
      join_code: id,
      ...(name !== undefined && { name }),
      ...(replaces !== undefined && { replaces }),
      ...(siteIds.length > 0 && { site_ids: siteIds }),
    },
  });
  const madeBy = { tokenId: call.caller.tokenId, name: call.caller.tokenName };
  await needs.gateways.insertCode(
    { id, name, hash: hashSecret(code), replaces, siteIds, madeBy, createdAt, expiresAt },
    trail,
  );
  return { id, code, expiresAt };
}

/** A code for what does not exist would surprise whoever joins with it. */
async function requireTakeable(
  { gateways }: Pick<Needs, "gateways">,
  { replaces, siteIds }: Pick<NewJoinCode, "replaces" | "siteIds">,
): Promise<void> {
  const refusals = new MistakeList<Refusal>();
  const add = (message: string, pointer: string) =>
    refusals.add(() => ({ code: "invalid_body", message, details: { pointer } }));
  if (replaces !== undefined && (await gateways.find(replaces)) === undefined) {
    add(`there is no gateway ${replaces.slice(0, 80)}`, "/replaces");
  }
  for (const [place, siteId] of siteIds.entries()) {
    if ((await gateways.ownerOf(siteId)) === undefined)
      add(`no gateway has a site ${siteId.slice(0, 80)}`, `/site_ids/${place}`);
  }
  refuseMistakes(refusals);
}

/** A person's word: the gateway takes over the site as soon as it names it. The former gateway then is refused the site. */
export async function giveSite(
  needs: Pick<GatewayNeeds, "gateways" | "now" | "newId"> & { readonly links: Pick<Links, "connectAnew"> },
  call: Call,
  { gatewayId, siteId }: { readonly gatewayId: string; readonly siteId: string },
): Promise<void> {
  requireAllSites(call.caller);
  const details = { gateway_id: gatewayId, from: await needs.gateways.ownerOf(siteId) };
  const trail = auditTrail(needs, call, { target: { siteId }, details });
  if (!(await needs.gateways.grantSite({ gatewayId, siteId, at: needs.now(), trail }))) {
    throw refuse("not_found", `there is no gateway ${gatewayId.slice(0, 80)} with access, or no gateway has that site`);
  }
  needs.links.connectAnew(gatewayId);
}

/** Refuses with `not_found` when the code is unknown, used or expired. */
export async function withdrawJoinCode(
  needs: Pick<GatewayNeeds, "gateways" | "now" | "newId">,
  call: Call,
  id: string,
): Promise<void> {
  requireAllSites(call.caller);
  const trail = auditTrail(needs, call, { target: {}, details: { join_code: id } });
  if (!(await needs.gateways.withdrawCode(id, needs.now(), trail))) {
    throw refuse("not_found", `there is no open code ${id.slice(0, 80)}: it is unknown, was used or has expired`);
  }
}

/** Refuses with `unauthorized` when the code is unknown, used or expired. */
export async function joinGateway(
  needs: GatewayNeeds,
  call: Call,
  input: { readonly code: string; readonly name: string; readonly version: string },
): Promise<{ readonly gateway: Gateway; readonly credential: string }> {
  const hash = hashSecret(input.code);
  if (!(await needs.gateways.hasCode(hash, needs.now()))) throw wrongCode();
  const id = needs.newId();
  const credential = formatToken(id, needs.randomBytes(SECRET_BYTES));
  const gateway: Gateway = {
    id,
    name: input.name,
    credentialHash: hashSecret(credential),
    createdAt: needs.now(),
    revokedAt: undefined,
    version: input.version,
    lastSeenAt: undefined,
    isConnected: false,
    epoch: undefined,
    taken: 0,
  };
  const trail = auditTrail(needs, call, { target: {}, details: { gateway_id: id, name: input.name } });
  const joined = await needs.gateways.join(hash, gateway, trail);
  if (joined === undefined) throw wrongCode();
  return { gateway: joined, credential };
}

const wrongCode = () => refuse("unauthorized", "the code is unknown, was used before, was withdrawn or has expired");

/** The gateway behind a credential; refuses with `unauthorized`. */
export async function signInGateway(needs: Pick<Needs, "gateways">, credential: string | undefined): Promise<Gateway> {
  const id = credential === undefined ? undefined : tokenIdOf(credential);
  const gateway = id === undefined ? undefined : await needs.gateways.find(id);
  const hash = hashSecret(credential ?? "");
  const isNext = gateway?.nextCredentialHash !== undefined && sameHash(hash, gateway.nextCredentialHash);
  if (gateway === undefined || !(isNext || sameHash(hash, gateway.credentialHash))) {
    throw refuse("unauthorized", "this cloud does not know the gateway");
  }
  if (gateway.revokedAt !== undefined) throw refuse("unauthorized", "the gateway's access was revoked");
  // It has changed over, and the former one is void from now on.
  if (isNext) await needs.gateways.settleCredential(gateway.id, hash);
  return gateway;
}
