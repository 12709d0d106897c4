// The certificate of HTTP: of files that somebody renews, or of the site's own authority, which renews it here. A new one
// is used without a restart. What does not fit together is not used: the one in use stays, and the reason is reported.
import { promises } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "#config";
import { type CertificatePair, type CheckedPair, checkPair } from "#config/certificate-pair.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { ServerCertificate, TlsIdentity } from "#http/tls-door.ts";
import { ownNames } from "#role/own-names.ts";
import type { Troubles } from "#service/troubles.ts";

export interface HttpCertificate extends ServerCertificate {
  /** When the one in use ends. */
  expiresAt(): Instant;
  /** Looks for a new one. It is used once it is the same at two looks: a file may be half written at the first. */
  look(): Promise<void>;
  /** Somebody says that the new one is complete. */
  reload(): Promise<void>;
}

interface CertificateNeeds {
  readonly now: () => Instant;
  readonly log: Logger;
  readonly troubles: Pick<Troubles, "report" | "clear">;
}

const PART = "http_certificate";

/** `place` is for the log and for whoever starts the program: troubles are public. */
interface Unread {
  readonly problem: string;
  readonly place?: string;
}

type Read = () => Promise<CertificatePair | Unread>;

/** Undefined without TLS. Rejects when the certificate cannot be used: nobody is served without TLS instead. */
export async function openHttpCertificate(
  needs: CertificateNeeds,
  config: Config,
): Promise<HttpCertificate | undefined> {
  const read = await readerOf(needs, config);
  if (read === undefined) return undefined;
  const first = check(await read());
  if ("problem" in first) throw new Error(first.problem + (first.place === undefined ? "" : `: ${first.place}`));
  return keepCertificate(needs, read, first);
}

function check(found: CertificatePair | Unread): CheckedPair | Unread {
  return "problem" in found ? found : checkPair(found);
}

async function readerOf(needs: CertificateNeeds, { http, data, host }: Config): Promise<Read | undefined> {
  const { tlsCert, tlsKey } = http;
  if (tlsCert !== undefined && tlsKey !== undefined) return () => readFiles(tlsCert, tlsKey);
  if (http.tls === "off") return undefined;
  // Without TLS it is not loaded, so that a start is shorter.
  const { openSiteAuthority } = await import("#mqtt/pki/open-site-authority.ts");
  const authority = openSiteAuthority(join(data, "pki"), needs.now);
  return async () => {
    const { certificate, privateKey } = authority.serverIdentity([...http.names, ...ownNames(host)], "http");
    return { certificate: certificate + authority.certificate, privateKey };
  };
}

async function readFiles(tlsCert: string, tlsKey: string): Promise<CertificatePair | Unread> {
  let file = tlsCert;
  try {
    const certificate = await promises.readFile(tlsCert, "utf8");
    file = tlsKey;
    return { certificate, privateKey: await promises.readFile(tlsKey, "utf8") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const why = WHY[code] ?? `cannot be read (${code})`;
    return { problem: `the file of ${file === tlsCert ? "http.tls_cert" : "http.tls_key"} ${why}`, place: file };
  }
}

const WHY: Readonly<Record<string, string>> = { ENOENT: "is not there", EACCES: "may not be read by this user" };

function keepCertificate({ log, troubles }: CertificateNeeds, read: Read, first: CheckedPair): HttpCertificate {
  const listeners: ((identity: TlsIdentity) => void)[] = [];
  let used = first;
  /** What the last look found, if it is not in use. */
  let seen: CertificatePair | undefined;
  let complaint: string | undefined;

  function complain({ problem, place }: Unread): void {
    if (problem === complaint) return;
    settle();
    complaint = problem;
    const message = `the new certificate of HTTP is not used: ${problem}; the one in use is valid until ${used.own.validTo}`;
    troubles.report({ part: PART, message }, { place });
  }

  function settle(): void {
    if (complaint !== undefined) troubles.clear(PART);
    complaint = undefined;
  }

  async function take(isComplete: boolean): Promise<void> {
    const found = await read();
    if ("problem" in found) return complain(found);
    if (isSame(found, used)) {
      seen = undefined;
      return settle();
    }
    const isSettled = isComplete || (seen !== undefined && isSame(found, seen));
    seen = found;
    if (!isSettled) return;
    const checked = checkPair(found);
    if ("problem" in checked) return complain(checked);
    for (const listener of listeners) listener(checked);
    used = checked;
    settle();
    log.info({ validTo: checked.own.validTo, names: checked.own.subjectAltName }, "HTTP has a new certificate");
  }

  return {
    get identity() {
      return used;
    },
    listen: (listener) => void listeners.push(listener),
    expiresAt: () => instant(used.own.validToDate.getTime()),
    look: () => take(false),
    reload: () => take(true),
  };
}

function isSame(one: CertificatePair, other: CertificatePair): boolean {
  return one.certificate === other.certificate && one.privateKey === other.privateKey;
}
