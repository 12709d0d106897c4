import type { Gateway } from "./gateway.ts";

/**
 * Since when nobody knows whether what the gateway last reported is still so. Undefined while the gateway is here and has said
 * everything. One whose version never says it is never confirmed.
 */
export function unconfirmedSince(
  { protocol, createdAt, lastSeenAt, isConnected, isCaughtUp }: Gateway,
  reports: (protocol: string) => boolean,
): number | undefined {
  if (!reports(protocol ?? "")) return createdAt;
  return isConnected && isCaughtUp === true ? undefined : (lastSeenAt ?? createdAt);
}
