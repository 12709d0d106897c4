// How a gateway joins a cloud: the cloud makes a code that works once, and the gateway exchanges it for a credential of
// its own.

import { formatToken, SECRET_BYTES, tokenIdOf } from "#core/access/token.ts";
import { refuse } from "#core/app-error.ts";
import type { Gateway } from "#core/link/gateway.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { hashSecret, sameHash } from "#service/access/hash-secret.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import type { Call, Needs } from "#service/ports.ts";

type GatewayNeeds = Pick<Needs, "gateways" | "now" | "newId" | "randomBytes">;

/** The code in the answer is its only copy. */
export async function createJoinCode(
  needs: GatewayNeeds,
  call: Call,
  { name, expiresInMs }: { readonly name: string | undefined; readonly expiresInMs: number },
): Promise<{ readonly id: string; readonly code: string; readonly expiresAt: Instant }> {
  requireAllSites(call.caller);
  const id = needs.newId();
  const code = formatToken(id, needs.randomBytes(SECRET_BYTES));
  const createdAt = needs.now();
  const expiresAt = instant(createdAt + expiresInMs);
  const trail = auditTrail(needs, call, {
    target: {},
    details: { join_code: id, ...(name !== undefined && { name }) },
  });
  const madeBy = { tokenId: call.caller.tokenId, name: call.caller.tokenName };
  await needs.gateways.insertCode({ id, name, hash: hashSecret(code), madeBy, createdAt, expiresAt }, trail);
  return { id, code, expiresAt };
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
