// A device that keeps passkeys, as far as a server sees it, and one that lies about whatever a test wants.
import { generateKeyPairSync, hash, sign } from "node:crypto";

export interface SoftKey {
  readonly id: string;
  readonly publicKey: string;
  /** What the device answers to a challenge; `lies` replace what it would say. */
  answer(
    type: "webauthn.create" | "webauthn.get",
    challenge: string,
    lies?: {
      readonly origin?: string;
      readonly host?: string;
      readonly flags?: number;
      readonly count?: number;
      readonly type?: string;
      readonly crossOrigin?: boolean;
    },
  ): { readonly client_data: string; readonly authenticator_data: string; readonly signature: string };
}

let made = 0;

export function newSoftKey(origin: string, kind: "ec" | "ed25519" | "rsa" = "ec"): SoftKey {
  const pair =
    kind === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : kind === "rsa"
        ? generateKeyPairSync("rsa", { modulusLength: 2048 })
        : generateKeyPairSync("ed25519");
  const ownHost = new URL(origin).hostname;
  return {
    id: Buffer.from(`key number ${++made}`).toString("base64url"),
    publicKey: pair.publicKey.export({ type: "spki", format: "der" }).toString("base64url"),
    answer(type, challenge, lies = {}) {
      const said = { type, challenge, origin, crossOrigin: false, ...lies };
      const clientData = Buffer.from(
        JSON.stringify({
          ...{ type: said.type, challenge: said.challenge, origin: said.origin, crossOrigin: said.crossOrigin },
        }),
      );
      const rest = Buffer.alloc(5);
      rest[0] = lies.flags ?? 0b101;
      rest.writeUInt32BE(lies.count ?? 0, 1);
      const authenticatorData = Buffer.concat([hash("sha256", lies.host ?? ownHost, "buffer"), rest]);
      const signed = Buffer.concat([authenticatorData, hash("sha256", clientData, "buffer")]);
      const signature = sign(kind === "ed25519" ? null : "sha256", signed, pair.privateKey);
      return {
        client_data: clientData.toString("base64url"),
        authenticator_data: authenticatorData.toString("base64url"),
        signature: signature.toString("base64url"),
      };
    },
  };
}
