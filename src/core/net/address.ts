/** An IP address as a number. An IPv4 address that is written inside an IPv6 one (`::ffff:10.0.0.1`) is that IPv4 address. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** All addresses that begin with the same bits. */
export interface AddressRange extends Address {
  readonly bits: number;
}

const MAPPED_BITS = 96;
const MAPPED = 0xffffn << 32n;

/** A zone (`fe80::1%eth0`) is ignored: it names the interface, not the destination. */
export function parseAddress(text: string): Address | undefined {
  const ipv4 = parseIpv4(text);
  if (ipv4 !== undefined) return { family: 4, value: ipv4 };
  const value = parseIpv6(text.replace(/%[^%]*$/, ""));
  if (value === undefined) return undefined;
  return isMapped(value) ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

/** `10.0.0.0/8`, or an address alone for a range of one. Bits after the prefix are ignored. */
export function parseRange(text: string): AddressRange | undefined {
  const [written = "", length, ...rest] = text.split("/");
  const address = parseAddress(written);
  if (address === undefined || rest.length > 0) return undefined;
  const hidden = address.family === 4 && written.includes(":") ? MAPPED_BITS : 0;
  const width = address.family === 4 ? 32 : 128;
  if (length === undefined) return { ...address, bits: width };
  const bits = Number(length) - hidden;
  return /^\d{1,3}$/.test(length) && bits >= 0 && bits <= width ? { ...address, bits } : undefined;
}

export function isInRange(range: AddressRange, { family, value }: Address): boolean {
  const rest = BigInt((family === 4 ? 32 : 128) - range.bits);
  return family === range.family && value >> rest === range.value >> rest;
}

function isMapped(value: bigint): boolean {
  return value >> 32n === MAPPED >> 32n;
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head = "", tail] = halves;
  const before = parseGroups(head, tail === undefined);
  const after = parseGroups(tail ?? "", true);
  if (before === undefined || after === undefined) return undefined;
  const given = before.length + after.length;
  if (tail === undefined ? given !== 8 : given > 7) return undefined;
  const groups = [...before, ...new Array<bigint>(8 - given).fill(0n), ...after];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

function parseGroups(text: string, mayEndInIpv4: boolean): readonly bigint[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const groups: bigint[] = [];
  for (const [at, part] of parts.entries()) {
    const ipv4 = mayEndInIpv4 && at === parts.length - 1 ? parseIpv4(part) : undefined;
    if (ipv4 !== undefined) groups.push(ipv4 >> 16n, ipv4 & 0xffffn);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
