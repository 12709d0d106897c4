import { createHash, type X509Certificate } from "node:crypto";

export function fingerprintOf(certificate: X509Certificate): string {
  return createHash("sha256").update(certificate.raw).digest("hex");
}
