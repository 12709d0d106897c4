// What a browser says about a passkey (W3C WebAuthn), checked with node:crypto. We ask for no attestation, so there is no certificate
// to be believed, and the browser gives the public key in the usual form: nothing else of the standard is needed.
import { createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from "node:crypto";

/** What every assertion and every registration has. */
interface Ceremony {
  readonly type: "webauthn.create" | "webauthn.get";
  /** The page's own origin, such as https://busbar.example.org. */
  readonly origin: string;
  readonly host: string;
}

export interface CheckedCeremony {
  /** As it was given out. */
  readonly challenge: Uint8Array;
  readonly useCount: number;
}

const HASH_BYTES = 32;
const FLAGS_AT = HASH_BYTES;
const COUNT_AT = FLAGS_AT + 1;
/** Somebody touched the device, and proved to the device who it is. */
const PRESENT_AND_VERIFIED = 0b101;
const LEAST_RSA_BITS = 2_048;

/** Undefined: it is of another page, of another kind, or nobody proved to the device who they are. */
export function checkCeremony(
  { type, origin, host }: Ceremony,
  { clientData, authenticatorData }: { readonly clientData: Uint8Array; readonly authenticatorData: Uint8Array },
): CheckedCeremony | undefined {
  const said = clientDataIn(clientData);
  if (said === undefined || said.type !== type || said.origin !== origin || said.crossOrigin === true) return undefined;
  const data = Buffer.from(authenticatorData);
  if (data.length < COUNT_AT + 4) return undefined;
  if (!timingSafeEqual(data.subarray(0, HASH_BYTES), hash("sha256", host, "buffer"))) return undefined;
  if ((data.readUInt8(FLAGS_AT) & PRESENT_AND_VERIFIED) !== PRESENT_AND_VERIFIED) return undefined;
  return { challenge: Buffer.from(said.challenge, "base64url"), useCount: data.readUInt32BE(COUNT_AT) };
}

/** Whether the device with the private key signed just this. */
export function isSignedBy(
  publicKey: Uint8Array,
  signature: Uint8Array,
  { clientData, authenticatorData }: { readonly clientData: Uint8Array; readonly authenticatorData: Uint8Array },
): boolean {
  const key = readPublicKey(publicKey);
  if (key === undefined) return false;
  const signed = Buffer.concat([authenticatorData, hash("sha256", clientData, "buffer")]);
  try {
    return verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", signed, key, signature);
  } catch {
    return false;
  }
}

/** Undefined: none of the kinds that were asked for (ES256, EdDSA, RS256). */
export function readPublicKey(bytes: Uint8Array): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(bytes), format: "der", type: "spki" });
    const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key;
    const isKnown =
      kind === "ed25519" ||
      (kind === "ec" && details?.namedCurve === "prime256v1") ||
      (kind === "rsa" && (details?.modulusLength ?? 0) >= LEAST_RSA_BITS);
    return isKnown ? key : undefined;
  } catch {
    return undefined;
  }
}

interface ClientData {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  readonly crossOrigin: unknown;
}

function clientDataIn(bytes: Uint8Array): ClientData | undefined {
  try {
    const said: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof said !== "object" || said === null) return undefined;
    const { type, challenge, origin, crossOrigin } = said as Readonly<Record<string, unknown>>;
    if (typeof type !== "string" || typeof challenge !== "string" || typeof origin !== "string") return undefined;
    return { type, challenge, origin, crossOrigin };
  } catch {
    return undefined;
  }
}
