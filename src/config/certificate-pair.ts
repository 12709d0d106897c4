// The certificate and the key of a server, as their two files hold them. While a program writes the files, they may be cut
// off, or one of them new and the other one old.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

export interface CertificatePair {
  /** The server's own certificate first, then those that lead to its authority (PEM). */
  readonly certificate: string;
  readonly privateKey: string;
}

export interface CheckedPair extends CertificatePair {
  /** The server's own certificate. */
  readonly own: X509Certificate;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The problem names the file that is wrong, by the name of its setting. */
export function checkPair({ certificate, privateKey }: CertificatePair): CheckedPair | { readonly problem: string } {
  const blocks = certificatesIn(certificate);
  const isWhole = blocks.length > 0 && blocks.length === certificate.split("-----BEGIN").length - 1;
  const parsed = isWhole ? blocks.map((block) => attempt(() => new X509Certificate(block))) : [];
  const [own] = parsed;
  if (own === undefined || parsed.includes(undefined)) {
    return { problem: "http.tls_cert holds no certificate (PEM), or not all of it" };
  }
  const key = attempt(() => createPrivateKey(privateKey));
  if (key === undefined) {
    const isLocked = privateKey.includes("ENCRYPTED");
    return {
      problem: `http.tls_key holds no private key (PEM)${isLocked ? " without a passphrase" : ", or not all of it"}`,
    };
  }
  if (!own.checkPrivateKey(key)) return { problem: "http.tls_key is not the key of the certificate in http.tls_cert" };
  return { certificate, privateKey, own };
}

/** The certificates of a file, each by itself. */
export function certificatesIn(text: string): readonly string[] {
  return text.match(BLOCK) ?? [];
}

/** The names and addresses that the certificate is for. */
export function namesOf({ subjectAltName = "" }: X509Certificate): readonly string[] {
  return [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name = ""]) => name);
}

/** Whether a client that asks for this name or address accepts the certificate. */
export function isFor(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
