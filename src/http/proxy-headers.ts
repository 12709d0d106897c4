// Whether a call came over a proxy, as far as its headers show. A call that a proxy on this machine hands on comes from this
// machine, too, but it is somebody else's.
import type { IncomingHttpHeaders } from "node:http";

/** Besides everything that begins with `x-forwarded`. Each is set by proxies alone. */
const PROXY_HEADERS = new Set([
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for",
  "x-original-host",
  "x-envoy-external-address",
  "x-appengine-user-ip",
  "x-azure-clientip",
  "true-client-ip",
  "client-ip",
  "cf-connecting-ip",
  "cf-ray",
  "cdn-loop",
  "fastly-client-ip",
  "fly-client-ip",
  "x-proxyuser-ip",
  "max-forwards",
]);

export function cameOverProxy(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith("x-forwarded") || PROXY_HEADERS.has(name)) return true;
  return false;
}
