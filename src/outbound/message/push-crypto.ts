// Web push: messages that only the browser can read (RFC 8291, the coding aes128gcm of RFC 8188), and who we are to its push
// service (RFC 8292, VAPID).
import { createCipheriv, createECDH, createPrivateKey, ECDH, hkdfSync, randomBytes, sign } from "node:crypto";
import type { PushSubscription } from "#core/notification/push.ts";

const CURVE = "prime256v1";
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** A record is the whole message: push services take no more than 4,096 bytes. */
const RECORD_BYTES = 4_096;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES;
/** What a message may hold, without the byte that ends it. */
export const MOST_PUSH_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1;
/** Push services refuse more than a day. */
const TOKEN_SECONDS = 12 * 3_600;
/** The order of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** 16 more than the order has: what is left by the division is as likely as anything else. */
export const VAPID_SEED_BYTES = 48;

const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;

/** What is wrong with the keys of a subscription. */
export function problemWithKeys({ p256dh, auth }: Pick<PushSubscription, "p256dh" | "auth">): string | undefined {
  const [point, secret] = [bytesOf(p256dh), bytesOf(auth)];
  if (point?.length !== POINT_BYTES || point[0] !== 4 || !isOnCurve(point))
    return "p256dh must be an uncompressed point of P-256 in base64url";
  if (secret?.length !== AUTH_BYTES) return `auth must be ${AUTH_BYTES} bytes in base64url`;
  return undefined;
}

const bytesOf = (text: string): Buffer | undefined =>
  BASE64URL.test(text) ? Buffer.from(text, "base64url") : undefined;

function isOnCurve(point: Buffer): boolean {
  try {
    ECDH.convertKey(point, CURVE);
    return true;
  } catch {
    return false;
  }
}

/** Throws if the keys are not those of a subscription. */
export function encryptPush(text: Uint8Array, { p256dh, auth }: PushSubscription): Buffer {
  if (text.length > MOST_PUSH_BYTES) throw new RangeError(`a push message has at most ${MOST_PUSH_BYTES} bytes`);
  const problem = problemWithKeys({ p256dh, auth });
  if (problem !== undefined) throw new TypeError(problem);
  const theirs = Buffer.from(p256dh, "base64url");
  const own = createECDH(CURVE);
  const ours = own.generateKeys();
  const salt = randomBytes(SALT_BYTES);
  const about = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours]);
  const shared = hkdf(own.computeSecret(theirs), { salt: Buffer.from(auth, "base64url"), about, bytes: 32 });
  const key = hkdf(shared, { salt, about: Buffer.from("Content-Encoding: aes128gcm\0"), bytes: 16 });
  const nonce = hkdf(shared, { salt, about: Buffer.from("Content-Encoding: nonce\0"), bytes: 12 });
  const cipher = createCipheriv("aes-128-gcm", key, nonce, { authTagLength: TAG_BYTES });
  const size = Buffer.alloc(5);
  size.writeUInt32BE(RECORD_BYTES);
  size.writeUInt8(POINT_BYTES, 4);
  // 2 ends the last record.
  const sealed = [cipher.update(text), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, size, ours, ...sealed]);
}

const hkdf = (
  key: Uint8Array,
  { salt, about, bytes }: { readonly salt: Uint8Array; readonly about: Uint8Array; readonly bytes: number },
): Buffer => Buffer.from(hkdfSync("sha256", key, salt, about, bytes));

export interface Vapid {
  /** For browsers that subscribe: uncompressed point, base64url. */
  readonly publicKey: string;
  /** The header that says who sends to this push service. */
  readonly authorization: (endpoint: URL, now: number) => string;
}

/** The same seed gives the same key: a subscription holds as long as the installation keeps its key. */
export function createVapid(seed: Uint8Array, contact: string): Vapid {
  if (seed.length !== VAPID_SEED_BYTES) throw new RangeError(`a seed has ${VAPID_SEED_BYTES} bytes`);
  const scalar = (BigInt(`0x${Buffer.from(seed).toString("hex")}`) % (ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, "0"), "hex");
  const pair = createECDH(CURVE);
  pair.setPrivateKey(d);
  const point = pair.getPublicKey();
  const [x, y] = [point.toString("base64url", 1, 33), point.toString("base64url", 33)];
  const jwk = { kty: "EC", crv: "P-256", d: d.toString("base64url"), x, y };
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  const publicKey = point.toString("base64url");
  return {
    publicKey,
    authorization(endpoint, now) {
      const claims = { aud: endpoint.origin, exp: Math.floor(now / 1_000) + TOKEN_SECONDS, sub: contact };
      const parts = [{ typ: "JWT", alg: "ES256" }, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString("base64url"),
      );
      const signed = parts.join(".");
      const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
      return `vapid t=${signed}.${signature.toString("base64url")}, k=${publicKey}`;
    },
  };
}
