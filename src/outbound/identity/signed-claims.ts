// The claims of a JSON Web Token that a provider sends by itself, once its signature is checked by one of the provider's keys. The library
// checks those that are asked for, and has no way in for others.
import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import type { Claims } from "#core/access/provider-person.ts";

/** Longer ones are not looked at. */
const MAX_TOKEN_LENGTH = 16_000;

interface Algorithm {
  readonly hash: string | null;
  /** Of the key, so that no algorithm is used with a key of another. */
  readonly key: string;
  readonly curve?: string;
  readonly options?: { readonly padding?: number; readonly saltLength?: number; readonly dsaEncoding?: "ieee-p1363" };
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const POINTS = { dsaEncoding: "ieee-p1363" } as const;
/** Only asymmetric ones: a secret that both sides know signs nothing. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ["RS256", { hash: "sha256", key: "rsa" }],
  ["RS384", { hash: "sha384", key: "rsa" }],
  ["RS512", { hash: "sha512", key: "rsa" }],
  ["PS256", { hash: "sha256", key: "rsa", options: PSS }],
  ["PS384", { hash: "sha384", key: "rsa", options: PSS }],
  ["PS512", { hash: "sha512", key: "rsa", options: PSS }],
  ["ES256", { hash: "sha256", key: "ec", curve: "prime256v1", options: POINTS }],
  ["ES384", { hash: "sha384", key: "ec", curve: "secp384r1", options: POINTS }],
  ["ES512", { hash: "sha512", key: "ec", curve: "secp521r1", options: POINTS }],
  ["EdDSA", { hash: null, key: "ed25519" }],
]);

export type ProviderKey = JsonWebKey & { readonly kid?: unknown; readonly use?: unknown; readonly alg?: unknown };

export interface ReadToken {
  readonly claims: Claims;
  /** The name of the key that signed it; undefined: it names none. */
  readonly keyId: string | undefined;
  isSignedBy(key: ProviderKey): boolean;
}

/** What the token says, before anybody believes it. Undefined: it is no token that could be checked. */
export function readToken(text: string): ReadToken | undefined {
  const [head = "", body = "", signature = "", ...others] = text.length > MAX_TOKEN_LENGTH ? [] : text.split(".");
  const [header, claims] = [parsePart(head), parsePart(body)];
  const { alg, kid, crit } = header ?? {};
  const algorithm = typeof alg === "string" ? ALGORITHMS.get(alg) : undefined;
  // What is marked as critical would have to be understood.
  if (others.length > 0 || signature === "" || claims === undefined || crit !== undefined) return undefined;
  if (algorithm === undefined) return undefined;
  return {
    claims,
    keyId: typeof kid === "string" ? kid : undefined,
    isSignedBy(given) {
      if (given.use !== undefined && given.use !== "sig") return false;
      if (given.alg !== undefined && given.alg !== alg) return false;
      const key = keyOf(given, algorithm);
      const { hash, options } = algorithm;
      const signed = Buffer.from(`${head}.${body}`);
      return key !== undefined && verify(hash, signed, { key, ...options }, Buffer.from(signature, "base64url"));
    },
  };
}

function keyOf(given: ProviderKey, { key, curve }: Algorithm): KeyObject | undefined {
  try {
    const found = createPublicKey({ key: given, format: "jwk" });
    const fits = found.asymmetricKeyType === key && found.asymmetricKeyDetails?.namedCurve === curve;
    return fits ? found : undefined;
  } catch {
    // No key at all, or of a kind that Node does not know.
    return undefined;
  }
}

function parsePart(text: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}
