import { type Address, type AddressRange, isInRange, parseAddress, parseRange } from "./address.ts";

/** `public` and `private` are where ordinary hosts live. The others are reached by naming them outright, or not at all. */
type AddressKind = "public" | "private" | "loopback" | "link-local" | "metadata" | "multicast" | "reserved";

/** By the registries of special-purpose addresses (RFC 6890 and successors). The first range that holds an address counts. */
const RANGES: readonly { readonly kind: AddressKind; readonly range: AddressRange }[] = Object.entries({
  // Clouds answer any request to this address with keys of the machine.
  metadata: ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"],
  // The unspecified address among them: a connection to it reaches the machine itself.
  loopback: ["127.0.0.0/8", "::1", "0.0.0.0", "::"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  multicast: ["224.0.0.0/4", "ff00::/8"],
  private: ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
  reserved: [
    "0.0.0.0/8",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    // Parts of the global IPv6 range that carry IPv4 addresses or are reserved: Teredo and others, documentation, 6to4.
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    // Translation between IPv4 and IPv6, the older form of an IPv4 address inside an IPv6 one, and addresses that lead nowhere.
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "::ffff:0:0:0/96",
    "::/96",
    "100::/64",
  ],
  public: ["0.0.0.0/0", "2000::/3"],
} satisfies Partial<Record<AddressKind, readonly string[]>>).flatMap(([kind, ranges]) =>
  ranges.map((text) => parseEntry(kind, text)),
);

/** Ranges of IPv6 that contain an IPv4 address, this many bits from the end. */
const EMBEDDING: readonly { readonly range: AddressRange; readonly shift: bigint }[] = [
  { text: "64:ff9b::/96", shift: 0n },
  { text: "::ffff:0:0:0/96", shift: 0n },
  { text: "::/96", shift: 0n },
  { text: "2002::/16", shift: 80n },
].map(({ text, shift }) => ({ range: parseEntry("", text).range, shift }));

interface Kind {
  readonly kind: AddressKind;
  readonly range: AddressRange;
}

/**
 * The kind of an address, and the range of that kind that contains it. An address that no registry lists, or that
 * contains a special IPv4 address, is a range of its own: no wider range covers it.
 */
export function addressKind(address: Address): Kind {
  const alone = { ...address, bits: address.family === 4 ? 32 : 128 };
  const listed = RANGES.find(({ range }) => isInRange(range, address)) ?? { kind: "reserved", range: alone };
  if (listed.kind === "loopback") return listed;
  const carried = EMBEDDING.find(({ range }) => isInRange(range, address));
  if (carried === undefined) return listed;
  const { kind } = addressKind({ family: 4, value: (address.value >> carried.shift) & 0xffffffffn });
  return kind === "public" || kind === "private" ? listed : { kind, range: alone };
}

/** Also false for a text that is no address at all. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && addressKind(address).kind === "public";
}

function parseEntry(kind: string, text: string) {
  const range = parseRange(text);
  if (range === undefined) throw new Error(`${text} is no range of addresses`);
  return { kind: kind as AddressKind, range };
}
