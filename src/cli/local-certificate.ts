// How the command line reaches a server of this machine that speaks TLS: by a name that its certificate has.
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { Config } from "#config";
import { certificatesIn, isFor, namesOf } from "#config/certificate-pair.ts";
import { readFileIfPresent } from "./read-file-if-present.ts";

export interface LocalCertificate {
  readonly name: string;
  /** Whom to trust besides the authorities that this machine knows. */
  readonly authorities: readonly string[];
}

/** `reachable` is the address on which the server listens. */
export function localCertificate({ http, data }: Config, reachable: string): LocalCertificate {
  const file = http.tlsCert ?? join(data, "pki", "ca.crt");
  const authorities = certificatesIn(read(file) ?? "");
  const [first] = authorities;
  if (http.tlsCert === undefined || first === undefined) return { name: reachable, authorities };
  const certificate = new X509Certificate(first);
  const named = [...http.names, ...namesOf(certificate)].find((name) => !name.includes("*"));
  return { name: [reachable, "localhost"].find((one) => isFor(certificate, one)) ?? named ?? reachable, authorities };
}

/** Another user may own the files; then only the authorities of the machine are trusted. */
function read(file: string): string | undefined {
  try {
    return readFileIfPresent(file);
  } catch {
    return undefined;
  }
}
