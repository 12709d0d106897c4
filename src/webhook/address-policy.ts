// Which addresses a webhook may reach: those of the public internet. Anything else could be a way for whoever may
// register a webhook to make this machine talk to its neighbours.
import { BlockList, isIP } from "node:net";

/** Everything that is not global unicast, by the registries of special-purpose addresses (RFC 6890 and successors). */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
const GLOBAL_IPV6 = ["2000::/3"];
/** Parts of the above that carry IPv4 addresses or are reserved: Teredo and other protocols, documentation, 6to4. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
const MAPPED = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/i;

const special = blockList(SPECIAL_IPV4, SPECIAL_IPV6);
const global = blockList([], GLOBAL_IPV6);

export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  const mapped = MAPPED.exec(bare)?.[1];
  if (mapped !== undefined) return isPublicAddress(mapped);
  switch (isIP(bare)) {
    case 4:
      return !special.check(bare, "ipv4");
    case 6:
      return global.check(bare, "ipv6") && !special.check(bare, "ipv6");
    default:
      return false;
  }
}

/** The address that a URL names outright; undefined for a name that has to be looked up. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) return host;
  // By RFC 6761 these never leave the machine, whatever a resolver says.
  return /(^|\.)localhost\.?$/.test(host) ? "127.0.0.1" : undefined;
}

function blockList(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (family: "ipv4" | "ipv6") => (range: string) => {
    const [network = "", bits] = range.split("/");
    list.addSubnet(network, Number(bits), family);
  };
  ipv4.forEach(add("ipv4"));
  ipv6.forEach(add("ipv6"));
  return list;
}
