// Certificates of an authority of the tests.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { type CertificateRequest, signCertificate } from "#mqtt/pki/sign-certificate.ts";

export const DAY = 86_400_000;
const organization = "Test";
const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const authority = { subject: { commonName: "Authority", organization }, ...newKey() };

function sign(
  request: Pick<CertificateRequest, "subject" | "publicKey" | "purpose" | "names">,
  from: number,
  to: number,
) {
  const [notBefore, notAfter] = [new Date(Date.now() + from), new Date(Date.now() + to)];
  return signCertificate({ ...request, serial: randomBytes(16), notBefore, notAfter }, authority);
}

/** A certificate for these names that is valid from now on by so many milliseconds, and its key. */
export function certify(names: readonly string[], from = -DAY, to = DAY) {
  const { publicKey, privateKey } = newKey();
  const subject = { commonName: "server", organization };
  const cert = sign({ subject, publicKey, purpose: "server", names }, from, to);
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** The certificate of the authority. */
export function authorityCertificate(): string {
  const { subject, publicKey } = authority;
  return sign({ subject, publicKey, purpose: "authority", names: [] }, -DAY, DAY);
}
