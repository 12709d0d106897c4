import { hostname, networkInterfaces } from "node:os";

/** The names and addresses of this machine, for certificates of its servers that listen on `host`. */
export function ownNames(host: string): readonly string[] {
  const isAny = host === "0.0.0.0" || host === "::";
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = isAny ? addresses.filter(({ scopeid }) => !scopeid).map(({ address }) => address) : [host];
  return ["localhost", "127.0.0.1", hostname(), ...reachable];
}
