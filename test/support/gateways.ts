// A gateway and a code with which it joins, to store in tests.
import type { Gateway, JoinCode } from "#core/link/gateway.ts";
import { instant } from "#core/time/instant.ts";
import { NOON, newId } from "./records.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

export function makeGateway(fields: Partial<Gateway> = {}): Gateway {
  return {
    id: newId(),
    name: "North",
    credentialHash: bytes("hash"),
    createdAt: NOON,
    revokedAt: undefined,
    version: "1.2.3",
    lastSeenAt: undefined,
    isConnected: false,
    epoch: undefined,
    taken: 0,
    mustRotate: false,
    isCaughtUp: false,
    ...fields,
  };
}

export function makeJoinCode(fields: Partial<JoinCode> = {}): JoinCode {
  return {
    id: newId(),
    name: undefined,
    hash: bytes(newId()),
    replaces: undefined,
    siteIds: [],
    madeBy: { tokenId: newId(), name: "installer" },
    createdAt: NOON,
    expiresAt: instant(NOON + 1_000),
    ...fields,
  };
}
