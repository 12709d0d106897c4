// X.509 version 3 certificates (RFC 5280) on P-256 with ECDSA and SHA-256.

import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";
import { itemAt } from "#core/item-at.ts";
import {
  bitString,
  boolean,
  type Der,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  set,
  time,
  utf8String,
} from "./der.ts";

export interface Subject {
  readonly commonName: string;
  readonly organization: string;
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly publicKey: KeyObject;
  /** The purpose of the certificate. Only an authority signs others. */
  readonly purpose: "authority" | "server" | "device";
  /** Host names and addresses of a server. */
  readonly names: readonly string[];
  /** 16 random bytes. */
  readonly serial: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface Issuer {
  readonly subject: Subject;
  readonly privateKey: KeyObject;
}

/** X.520 limits a common name to this length. */
const MAX_COMMON_NAME = 64;

const OID = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

/** Bits counted from the left: digitalSignature 0, keyCertSign 5, cRLSign 6. */
const USAGE = {
  authority: bitString(Buffer.from([0b0000_0110]), 1),
  server: bitString(Buffer.from([0b1000_0000]), 7),
  device: bitString(Buffer.from([0b1000_0000]), 7),
} as const;

/** The certificate as PEM. */
export function signCertificate(request: CertificateRequest, issuer: Issuer): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const content = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(positive(request.serial)),
    algorithm,
    name(issuer.subject),
    sequence(time(request.notBefore), time(request.notAfter)),
    name(request.subject),
    spki(request.publicKey),
    explicit(3, sequence(...extensions(request, issuer))),
  );
  const signature = sign("sha256", content, { key: issuer.privateKey, dsaEncoding: "der" });
  return pem(sequence(content, algorithm, bitString(signature)));
}

function extensions({ purpose, publicKey, names }: CertificateRequest, issuer: Issuer): Der[] {
  const isAuthority = purpose === "authority";
  const issuerKey = createPublicKey(issuer.privateKey);
  return [
    extension(
      OID.basicConstraints,
      isAuthority ? sequence(boolean(true), integer(Buffer.from([0]))) : sequence(),
      true,
    ),
    extension(OID.keyUsage, USAGE[purpose], true),
    ...(isAuthority
      ? []
      : [extension(OID.extendedKeyUsage, sequence(oid(purpose === "server" ? OID.serverAuth : OID.clientAuth)))]),
    ...(names.length > 0 ? [extension(OID.subjectAltName, sequence(...names.map(alternativeName)))] : []),
    extension(OID.subjectKeyId, octetString(keyId(publicKey))),
    extension(OID.authorityKeyId, sequence(implicit(0, keyId(issuerKey)))),
  ];
}

function extension(id: string, value: Der, isCritical = false): Der {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

function name({ commonName, organization }: Subject): Der {
  if (commonName.length === 0 || commonName.length > MAX_COMMON_NAME) {
    throw new Error(`a certificate cannot carry the name "${commonName}": 1 to ${MAX_COMMON_NAME} characters`);
  }
  const part = (id: string, text: string) => set(sequence(oid(id), utf8String(text)));
  return sequence(part(OID.organization, organization), part(OID.commonName, commonName));
}

function alternativeName(text: string): Der {
  if (isIP(text) !== 0) return implicit(7, addressBytes(text));
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Error(`"${text}" is no host name`);
  return implicit(2, Buffer.from(text, "ascii"));
}

/** 4 bytes of an IPv4 address, 16 of an IPv6 one. */
function addressBytes(text: string): Buffer {
  if (isIP(text) === 4) return Buffer.from(text.split(".").map(Number));
  const [head = "", tail] = expandIpv4(text).split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [left, right] = [groups(head), groups(tail ?? "")];
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** `::ffff:1.2.3.4` as `::ffff:102:304`. */
function expandIpv4(text: string): string {
  return text.replace(/\d+\.\d+\.\d+\.\d+$/, (quad) => {
    const [a = 0, b = 0, c = 0, d = 0] = quad.split(".").map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

function keyId(key: KeyObject): Buffer {
  return createHash("sha256").update(spki(key)).digest().subarray(0, 20);
}

function spki(key: KeyObject): Der {
  return key.export({ type: "spki", format: "der" });
}

/** A serial number is positive and at most 20 bytes. */
function positive(bytes: Uint8Array): Buffer {
  const serial = Buffer.from(bytes);
  serial[0] = (itemAt(serial, 0) & 0x7f) | 0x40;
  return serial;
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
