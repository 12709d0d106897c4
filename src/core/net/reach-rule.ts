// What a device's script may reach over the network, as the installer configured it.
import { type Address, type AddressRange, isInRange, parseRange } from "./address.ts";
import { addressKind } from "./address-kind.ts";

/** `battery-1=10.0.0.5:502`: for one device or for all, a range, a name or a group, at one port or at any. */
export interface ReachRule {
  /** Id or slug of the device that it is for; undefined: every device. */
  readonly device: string | undefined;
  readonly target: ReachTarget;
  readonly port: number | undefined;
}

type ReachTarget =
  | { readonly kind: "range"; readonly range: AddressRange }
  /** `*.example.com` is every name below, not the name itself. */
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "group"; readonly group: "public" | "private" };

/** An end of a connection, after its name was looked up. */
export interface Endpoint {
  /** As the script wrote it, in lower case; undefined when it wrote an address. */
  readonly name: string | undefined;
  readonly address: Address;
  readonly port: number;
}

const NAME = /^(?:\*\.)?[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/;
const DEVICE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export function parseReachRule(text: string): ReachRule | { readonly problem: string } {
  const at = text.indexOf("=");
  const device = at < 0 ? undefined : text.slice(0, at);
  if (device !== undefined && !DEVICE.test(device))
    return { problem: `has "${text}", where "${device}" is no slug or id of a device` };
  const place = splitPort(at < 0 ? text : text.slice(at + 1));
  const target = place && parseTarget(place.host);
  if (place === undefined || target === undefined)
    return {
      problem: `has "${text}"; a rule is an address, a range such as 10.0.0.0/24, a host name, private or public, with :port after it or DEVICE= before it if you like`,
    };
  return { device, target, port: place.port };
}

/** The rules of one device. */
export function reachRulesFor(
  rules: readonly ReachRule[],
  device: { readonly id: string; readonly slug: string },
): readonly ReachRule[] {
  return rules.filter((rule) => rule.device === undefined || rule.device === device.id || rule.device === device.slug);
}

/**
 * Whether some rule allows it. Ordinary hosts (private and public) are allowed by any rule that fits. Loopback,
 * link-local, metadata and other special addresses are allowed only by a rule that lies inside that special range, so
 * that `0.0.0.0/0` or a name which resolves to 127.0.0.1 opens none of them; an address of the gateway itself only by a
 * rule for exactly that address.
 */
export function mayReach(rules: readonly ReachRule[], endpoint: Endpoint, own: readonly Address[]): boolean {
  const isOwn = own.some(({ family, value }) => family === endpoint.address.family && value === endpoint.address.value);
  const { kind, range } = addressKind(endpoint.address);
  const isOrdinary = !isOwn && (kind === "public" || kind === "private");
  const leastBits = isOwn && kind !== "loopback" ? (endpoint.address.family === 4 ? 32 : 128) : range.bits;
  const fits = (target: ReachTarget): boolean => {
    if (target.kind === "group") return isOrdinary && target.group === kind;
    if (target.kind === "range")
      return isInRange(target.range, endpoint.address) && (isOrdinary || target.range.bits >= leastBits);
    return fitsName(target.name, endpoint.name) && (isOrdinary || (kind === "loopback" && isLocalName(target.name)));
  };
  return rules.some(({ target, port }) => (port === undefined || port === endpoint.port) && fits(target));
}

/**
 * Whether some rule could allow the name, depending on its address. If none could, the name is not even looked up: a
 * query to a name server would carry the name outside.
 */
export function mayLookUp(rules: readonly ReachRule[], name: string, port: number): boolean {
  return rules.some(
    (rule) =>
      (rule.port === undefined || rule.port === port) &&
      (rule.target.kind !== "name" || fitsName(rule.target.name, name)),
  );
}

/** By RFC 6761 such a name never leaves the machine, whatever a resolver answers. */
export function isLocalName(name: string): boolean {
  return /(^|\.)localhost\.?$/i.test(name);
}

function fitsName(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
}

function parseTarget(host: string): ReachTarget | undefined {
  if (host === "public" || host === "private") return { kind: "group", group: host };
  const range = parseRange(host);
  if (range !== undefined) return { kind: "range", range };
  // What looks like an address with a slip in it is no name.
  if (/^[\d./]+$/.test(host)) return undefined;
  const name = host.toLowerCase().replace(/\.$/, "");
  return NAME.test(name) ? { kind: "name", name } : undefined;
}

/** The last colon parts host and port, but only outside an IPv6 address, which stands in brackets then. */
function splitPort(text: string): { readonly host: string; readonly port: number | undefined } | undefined {
  const bracketed = /^\[([^\]]*)\](\/\d+)?(?::(\d{1,5}))?$/.exec(text);
  const plain = /^([^:[\]]*)(?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) return withPort(`${bracketed[1]}${bracketed[2] ?? ""}`, bracketed[3]);
  if (plain !== null) return withPort(plain[1] ?? "", plain[2]);
  return parseRange(text) === undefined ? undefined : { host: text, port: undefined };
}

function withPort(host: string, text: string | undefined) {
  if (text === undefined) return { host, port: undefined };
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}
