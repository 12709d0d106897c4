import { isIP } from "node:net";
import { isLocalName } from "#core/net/reach-rule.ts";

/** The address that a URL names outright; undefined for a name that has to be looked up. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) return host;
  return isLocalName(host) ? "127.0.0.1" : undefined;
}
