import { parseAddress } from "./address.ts";

const HOST_BITS = 64n;

/**
 * The key of an address's owner: an IPv4 address itself, or the /64 of an IPv6 address, because one subscriber has at
 * least that many addresses. A text that is no address is its own key.
 */
export function addressBlock(text: string): string {
  let block = known.get(text);
  if (block === undefined) {
    block = blockOf(text);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, block);
  }
  return block;
}

/** Every call asks, and few addresses make most calls: looking one up takes a hundredth of the time of reading it. */
const known = new Map<string, string>();
const MAX_KNOWN = 1_000;

function blockOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (address.family === 4) return [24n, 16n, 8n, 0n].map((shift) => (address.value >> shift) & 255n).join(".");
  return `${(address.value >> HOST_BITS).toString(16).padStart(16, "0")}::/64`;
}
