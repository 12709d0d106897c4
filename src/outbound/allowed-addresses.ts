// Which addresses people can make Busbar connect to: public internet addresses only, unless a setting allows others.
// Otherwise anybody who may register a webhook or a source of prices could make this machine talk to its neighbours. The
// check happens in the lookup of the connection itself, so the checked address is the one that is connected to, and a name
// that resolves differently the second time gains nothing.
import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "#core/net/address-kind.ts";
import { connectionWords } from "#core/net/connection-words.ts";
import { literalAddress } from "#outbound/literal-address.ts";

export interface AddressSettings {
  /** Also addresses of this machine and of private networks. */
  readonly allowPrivate: boolean;
  /** Asked instead of the system, in tests. */
  readonly lookUp?: typeof systemLookup;
}

interface AllowedAddresses {
  /** Why this address is not allowed, as far as that is known without a network request. */
  readonly problemWith: (url: URL) => string | undefined;
  /** For the connection. It gives allowed addresses only, so that nothing else can be connected to. */
  readonly lookup: LookupFunction;
}

const PRIVATE = "the address is not a public one";
class PrivateAddress extends Error {}

export function createAllowedAddresses({ allowPrivate, lookUp = systemLookup }: AddressSettings): AllowedAddresses {
  return {
    problemWith(url) {
      const address = literalAddress(url);
      return allowPrivate || address === undefined || isPublicAddress(address) ? undefined : PRIVATE;
    },
    lookup(hostname, options, callback) {
      lookUp(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, "");
        const allowed = addresses.filter(({ address }) => allowPrivate || isPublicAddress(address));
        const [first] = allowed;
        if (first === undefined) return callback(new PrivateAddress(PRIVATE), "");
        if (options.all === true) return (callback as (error: null, addresses: LookupAddress[]) => void)(null, allowed);
        return callback(null, first.address, first.family);
      });
    },
  };
}

/** Why a request failed, without secrets. */
export function failureWords(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) {
    const isLate = signal.reason instanceof DOMException && signal.reason.name === "TimeoutError";
    return isLate ? "no answer in time" : "broken off: the service stops";
  }
  return error instanceof PrivateAddress ? error.message : connectionWords(error);
}
