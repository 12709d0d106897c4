// The site's own certificate authority. It is created at the first start, kept in one folder, and known to this site's
// devices only.

import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { DAY_MS } from "#core/time/hour.ts";
import type { Instant } from "#core/time/instant.ts";
import { isTopicLevel } from "#mqtt/topics.ts";
import { fingerprintOf } from "./fingerprint-of.ts";
import { type KeyPair, readKeyPair, writeKeyPair } from "./key-files.ts";
import { type CertificateRequest, type Issuer, type Subject, signCertificate } from "./sign-certificate.ts";

export interface DeviceCertificate {
  readonly privateKey: string;
  readonly certificate: string;
  /** What the device trusts: the authority's certificate. */
  readonly caChain: string;
  /** SHA-256 of the certificate in lower-case hex, by which the device signs in. */
  readonly fingerprint: string;
}

export interface SiteAuthority {
  readonly certificate: string;
  issueDeviceCertificate(hardwareId: string): DeviceCertificate;
  /**
   * A server's certificate for these names: the current one, or a new one when it is about to expire or the names
   * changed.
   */
  serverIdentity(names: readonly string[], server?: keyof typeof SERVERS): KeyPair;
}

/** Each server has a key and a certificate of its own: the names of their files, and whom they are for. */
const SERVERS = {
  mqtt: { file: "server", commonName: "Busbar MQTT" },
  http: { file: "http", commonName: "Busbar HTTP" },
} as const;

const AUTHORITY_DAYS = 30 * 365;
const DEVICE_DAYS = 10 * 365;
const SERVER_DAYS = 397;
const RENEW_BEFORE_DAYS = 30;
/** Small devices start with a clock that is behind. */
const BACKDATE_DAYS = 1;
const ORGANIZATION = "Busbar";

export function openSiteAuthority(folder: string, now: () => Instant): SiteAuthority {
  const pair = readKeyPair(folder, "ca") ?? makeAuthority(folder, now());
  const own = new X509Certificate(pair.certificate);
  const privateKey = createPrivateKey(pair.privateKey);
  if (!own.ca || !own.checkPrivateKey(privateKey))
    throw new Error(`the certificate and key in ${folder} do not belong together`);
  const issuer: Issuer = { subject: parseSubject(own), privateKey };

  const issue = (request: Pick<CertificateRequest, "purpose" | "names" | "subject">, days: number): KeyPair => {
    const latest = Date.parse(own.validTo);
    const keys = newKeys();
    const certificate = signCertificate(
      {
        ...request,
        publicKey: keys.publicKey,
        serial: randomBytes(16),
        notBefore: new Date(now() - BACKDATE_DAYS * DAY_MS),
        notAfter: new Date(Math.min(now() + days * DAY_MS, latest)),
      },
      issuer,
    );
    return { privateKey: keys.text, certificate };
  };

  return {
    certificate: pair.certificate,
    issueDeviceCertificate(hardwareId) {
      if (!isTopicLevel(hardwareId)) throw new Error(`"${hardwareId}" is no hardware id`);
      const subject = { commonName: hardwareId, organization: ORGANIZATION };
      const made = issue({ purpose: "device", names: [], subject }, DEVICE_DAYS);
      return { ...made, caChain: pair.certificate, fingerprint: fingerprintOf(new X509Certificate(made.certificate)) };
    },
    serverIdentity(names, server = "mqtt") {
      const { file, commonName } = SERVERS[server];
      const present = readKeyPair(folder, file);
      if (present !== undefined && isGood(new X509Certificate(present.certificate), own, names, now())) return present;
      const subject = { commonName, organization: ORGANIZATION };
      const made = issue({ purpose: "server", names: [...new Set(names)], subject }, SERVER_DAYS);
      writeKeyPair(folder, file, made);
      return made;
    },
  };
}

function makeAuthority(folder: string, now: Instant): KeyPair {
  const keys = newKeys();
  // Each site has its own name, so that the certificates of two sites are never confused.
  const subject: Subject = {
    commonName: `Busbar site ${randomBytes(6).toString("hex")}`,
    organization: ORGANIZATION,
  };
  const certificate = signCertificate(
    {
      subject,
      purpose: "authority",
      names: [],
      publicKey: keys.publicKey,
      serial: randomBytes(16),
      notBefore: new Date(now - BACKDATE_DAYS * DAY_MS),
      notAfter: new Date(now + AUTHORITY_DAYS * DAY_MS),
    },
    { subject, privateKey: createPrivateKey(keys.text) },
  );
  const pair = { privateKey: keys.text, certificate };
  writeKeyPair(folder, "ca", pair);
  return pair;
}

function newKeys() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { publicKey, text: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

function parseSubject(certificate: X509Certificate): Subject {
  const part = (key: string) => new RegExp(`^${key}=(.+)$`, "m").exec(certificate.subject)?.[1] ?? "";
  return { commonName: part("CN"), organization: part("O") };
}

function isGood(server: X509Certificate, authority: X509Certificate, names: readonly string[], now: Instant): boolean {
  const endsIn = Date.parse(server.validTo) - now;
  const wanted = [...new Set(names)];
  const held = server.subjectAltName?.split(", ").length ?? 0;
  return (
    endsIn > RENEW_BEFORE_DAYS * DAY_MS &&
    server.verify(authority.publicKey) &&
    held === wanted.length &&
    wanted.every((name) => server.checkHost(name) !== undefined || server.checkIP(name) !== undefined)
  );
}
