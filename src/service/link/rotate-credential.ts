// Replaces the credential with which a gateway signs in. At every moment the cloud accepts the one that the gateway has:
// the gateway stores the new one beside the old, the cloud accepts both, the gateway changes over, and the cloud forgets
// the old one when it hears of the new one or sees it used. The credential itself never travels, only its hash. The gateway
// keeps the old one: a cloud that is restored from a backup may know only that, and then gets the present one.
import { formatToken, SECRET_BYTES } from "#core/access/token.ts";
import { CREDENTIAL_CONTEXT, type Uplink } from "#core/link/gateway.ts";
import type { UpMessage } from "#core/link/messages.ts";
import { hashSecret } from "#service/access/hash-secret.ts";
import type { Needs } from "#service/ports.ts";

export interface RotationNeeds extends Pick<Needs, "uplinks" | "seal" | "randomBytes" | "now"> {
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly credentialLifetimeMs: number;
}

export interface Rotation {
  /** Goes on with one that was cut off, and begins one whenever it is due, while the connection lasts. */
  follow(signal: AbortSignal): Promise<void>;
  begin(): Promise<void>;
  /** The cloud accepts the credential with this hash. */
  accepted(hash: string): Promise<void>;
}

const LOOK_EVERY_MS = 3_600_000;
/** The cloud keeps it beside the one that was used last. */
const NEXT_CONTEXT = `next ${CREDENTIAL_CONTEXT}`;

/** `isFormer`: the gateway has signed in with the credential before the present one. */
export function createRotation(
  needs: RotationNeeds,
  { send, isFormer }: { readonly send: (message: UpMessage) => Promise<void>; readonly isFormer: boolean },
): Rotation {
  let isPresentKnown = !isFormer;

  const presentHash = ({ credential }: Uplink) => hashOf(needs.seal.open(credential, CREDENTIAL_CONTEXT));

  async function begin(): Promise<void> {
    const uplink = await needs.uplinks.get();
    if (uplink === undefined) return;
    if (!isPresentKnown) return await send({ type: "credential", hash: presentHash(uplink), isUsed: false });
    let text = uplink.nextCredential && needs.seal.open(uplink.nextCredential, NEXT_CONTEXT);
    if (text === undefined) {
      text = formatToken(uplink.gatewayId, needs.randomBytes(SECRET_BYTES));
      await needs.uplinks.putNextCredential(needs.seal.seal(text, NEXT_CONTEXT));
    }
    await send({ type: "credential", hash: hashOf(text), isUsed: false });
  }

  return {
    begin,
    async follow(signal) {
      while (!signal.aborted) {
        const uplink = await needs.uplinks.get();
        if (uplink === undefined) return;
        const madeAt = uplink.credentialAt ?? uplink.joinedAt;
        const isDue = needs.now() >= madeAt + needs.credentialLifetimeMs;
        if (!isPresentKnown || isDue || uplink.nextCredential !== undefined) await begin();
        await needs.pause(LOOK_EVERY_MS, signal);
      }
    },
    async accepted(hash) {
      const uplink = await needs.uplinks.get();
      if (uplink === undefined) return;
      if (!isPresentKnown && hash === presentHash(uplink)) {
        isPresentKnown = true;
        return await send({ type: "credential", hash, isUsed: true });
      }
      const next = uplink.nextCredential;
      const text = next && needs.seal.open(next, NEXT_CONTEXT);
      if (next === undefined || text === undefined || hashOf(text) !== hash) return;
      const credential = needs.seal.seal(text, CREDENTIAL_CONTEXT);
      await needs.uplinks.useNextCredential({ next, credential, at: needs.now() });
      await send({ type: "credential", hash, isUsed: true });
    },
  };
}

function hashOf(text: string): string {
  return Buffer.from(hashSecret(text)).toString("hex");
}
