// Decides which hosts a script may reach, at the moment of connecting.
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { type Address, parseAddress } from "#core/net/address.ts";
import { isLocalName, mayLookUp, mayReach, type ReachRule } from "#core/net/reach-rule.ts";
import { ConnectionError } from "#drivers/connection-error.ts";

export interface Reach {
  /**
   * Throws `ConnectionError` for an address that is not allowed, and for a name that no rule could allow. Called first.
   */
  check(host: string, port: number): void;
  /** Throws `ConnectionError` when a connection that was opened before would not be allowed now. */
  recheck(connected: { readonly host: string; readonly address: string; readonly port: number }): void;
  /** A lookup for a connection to that port. It returns allowed addresses only, so nothing else can be connected to. */
  lookup(port: number): LookupFunction;
}

interface ReachNeeds {
  /** What the script may reach; read again for every connection. */
  readonly rules: () => readonly ReachRule[];
  /** Whose script it is, for the words of a refusal. Default: a device's. */
  readonly of?: "device" | "rule";
  /** Addresses of this machine; read again for every connection. */
  readonly ownAddresses?: () => readonly string[];
  /** Used instead of the system's lookup in tests. */
  readonly lookUp?: typeof lookup;
}

/**
 * Names that one script has looked up at once. The system looks up two at a time for the whole process, and goes on when nobody waits any
 * more: a script with names whose servers never answer would keep everybody else from theirs.
 */
const MOST_LOOKUPS = 4;

export function createReach(needs: ReachNeeds): Reach {
  const { rules, of = "device", ownAddresses = systemAddresses, lookUp = lookup } = needs;
  const own = () => ownAddresses().flatMap((text) => parseAddress(text) ?? []);
  const refusal = (host: string, port: number) =>
    new ConnectionError("refused", `${host}:${port} is not allowed for this ${of}; the setting lua.allow says what is`);
  const isAllowed = (name: string | undefined, address: Address, port: number) =>
    mayReach(rules(), { name, address, port }, own());
  let lookups = 0;

  return {
    check(host, port) {
      const bare = bareHost(host);
      const address = parseAddress(bare);
      const mayGoOn = address === undefined ? mayLookUp(rules(), bare, port) : isAllowed(undefined, address, port);
      if (!mayGoOn) throw refusal(host, port);
    },
    recheck({ host, address, port }) {
      const parsed = parseAddress(address);
      if (parsed === undefined || !isAllowed(bareHost(host), parsed, port)) throw refusal(host, port);
    },
    lookup: (port) => (hostname, options, callback) => {
      const name = bareHost(hostname);
      const answer = (found: readonly { readonly address: string; readonly family: number }[]) => {
        const allowed = found.filter(({ address }) => {
          const parsed = parseAddress(address);
          return parsed !== undefined && isAllowed(name, parsed, port);
        });
        const [first] = allowed;
        if (first === undefined) return callback(refusal(hostname, port), "");
        return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
      };
      if (isLocalName(name)) return answer([{ address: "127.0.0.1", family: 4 }]);
      if (lookups >= MOST_LOOKUPS)
        return callback(new ConnectionError("busy", `${MOST_LOOKUPS} names are being looked up already`), "");
      lookups += 1;
      lookUp(hostname, { ...options, all: true }, (error, found) => {
        lookups -= 1;
        if (error === null) answer(found);
        else callback(error, "");
      });
    },
  };
}

/** Without brackets, in lower case, without the dot of the root. */
export function bareHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase()
    .replace(/\.$/, "");
}

function systemAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
