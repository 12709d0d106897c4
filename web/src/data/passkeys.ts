// Passkeys in this browser: what the server asks and says is base64url, what the browser takes and gives is bytes.
import type { NewPasskey, PasskeyOffer, PasskeySignIn, PasskeySignInOffer } from "#client/resources.ts";
import { isPasskeyHost } from "#core/access/passkey.ts";

/** Whether this page may use passkeys. `address`: it was not opened by a name; `insecure`: not over HTTPS; `browser`: it has none. */
export function passkeyProblem(): "address" | "insecure" | "browser" | undefined {
  if (!isPasskeyHost(location.hostname)) return "address";
  if (!isSecureContext) return "insecure";
  return typeof PublicKeyCredential === "undefined" ? "browser" : undefined;
}

/** ES256, EdDSA and RS256: what the server can check. */
const KINDS = [-7, -8, -257];

/** Asks the device for a new key. Undefined: the person did not want to, or the device could not. */
export async function makePasskey(offer: PasskeyOffer): Promise<Omit<NewPasskey, "name"> | undefined> {
  const made = await quietly(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { id: offer.host, name: "Busbar" },
        user: {
          id: new TextEncoder().encode(offer.user_id),
          name: offer.user_name,
          displayName: offer.display_name,
        },
        challenge: bytesOf(offer.challenge),
        pubKeyCredParams: KINDS.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: offer.known_ids.map((id) => ({ type: "public-key", id: bytesOf(id) })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        attestation: "none",
      },
    }),
  );
  if (!(made instanceof PublicKeyCredential)) return undefined;
  const { response } = made;
  if (!(response instanceof AuthenticatorAttestationResponse)) return undefined;
  const publicKey = response.getPublicKey();
  if (publicKey === null) return undefined;
  return {
    id: textOf(made.rawId),
    public_key: textOf(publicKey),
    client_data: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.getAuthenticatorData()),
  };
}

/** Asks the device for one of its keys. Undefined as above. */
export async function usePasskey(offer: PasskeySignInOffer): Promise<PasskeySignIn | undefined> {
  const used = await quietly(() =>
    navigator.credentials.get({
      publicKey: { challenge: bytesOf(offer.challenge), rpId: offer.host, userVerification: "required" },
    }),
  );
  if (!(used instanceof PublicKeyCredential)) return undefined;
  const { response } = used;
  if (!(response instanceof AuthenticatorAssertionResponse)) return undefined;
  return {
    id: textOf(used.rawId),
    client_data: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  };
}

/** Browsers do not tell a person who declines from a device that cannot. */
async function quietly<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const characters = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
