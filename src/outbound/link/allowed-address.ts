// Where a gateway looks for its cloud. Whoever may let it join must not use it to explore the machine that it runs on: the
// machine itself and its own link are reached only where the operator of the gateway allows it. A cloud in the private
// network is as good as one on the internet. Services that hand out the keys of a machine are never reached.
import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { refuse } from "#core/app-error.ts";
import { parseAddress } from "#core/net/address.ts";
import { addressKind } from "#core/net/address-kind.ts";
import { literalAddress } from "#outbound/literal-address.ts";

const ANYWHERE: ReadonlySet<string> = new Set(["public", "private"]);
const LOCAL: ReadonlySet<string> = new Set([...ANYWHERE, "loopback", "link-local"]);

function isAllowed(text: string, mayBeLocal: boolean): boolean {
  const address = parseAddress(text);
  return address !== undefined && (mayBeLocal ? LOCAL : ANYWHERE).has(addressKind(address).kind);
}

const refusal = (host: string) =>
  refuse(
    "invalid_body",
    `${host} is an address of this machine or a special one, where no cloud is expected. If yours is there, set link.allow_local on the gateway`,
    { pointer: "/url" },
  );

/** An address that the URL names outright is checked here, because nobody looks it up. */
export function requireAllowed(url: URL, mayBeLocal: boolean): void {
  const literal = literalAddress(url);
  if (literal !== undefined && !isAllowed(literal, mayBeLocal)) throw refusal(url.host);
}

/** Checks each address that a name has, in the lookup of the connection itself: what is checked is what is connected to. */
export function guardedLookup(mayBeLocal: boolean, lookUp: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const allowed = addresses.filter(({ address }) => isAllowed(address, mayBeLocal));
      const [first] = allowed;
      if (first === undefined) return callback(refusal(hostname) as NodeJS.ErrnoException, "");
      if (options.all === true) return (callback as (error: null, addresses: LookupAddress[]) => void)(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}
