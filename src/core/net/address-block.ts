import { parseAddress } from "./address.ts";

const HOST_BITS = 64n;

/**
 * Whom an address belongs to: an IPv4 address stands for itself, an IPv6 address for its /64, because one subscriber has at
 * least that many. What is no address stands for itself.
 */
export function addressBlock(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (address.family === 4) return [24n, 16n, 8n, 0n].map((shift) => (address.value >> shift) & 255n).join(".");
  return `${(address.value >> HOST_BITS).toString(16).padStart(16, "0")}::/64`;
}
