import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from "node:crypto";
import type { Seal } from "#service/ports/seal.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Fixed, because otherwise a shortened text would be accepted with a shorter tag, which is easier to forge. */
const TAG = { authTagLength: TAG_BYTES };
export const SEAL_KEY_BYTES = 32;

/** AES-256-GCM: nonce, then ciphertext, then tag. */
export function createSeal(bytes: Uint8Array): Seal {
  if (bytes.length !== SEAL_KEY_BYTES) throw new RangeError(`a sealing key has ${SEAL_KEY_BYTES} bytes`);
  // Prepared once: with the bytes each call takes 60 us instead of 24.
  const key = createSecretKey(bytes);
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, TAG).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    fingerprint: (text, context) => createHmac("sha256", key).update(`${context}\0${text}`).digest(),
    open(sealed, context) {
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), TAG);
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    },
  };
}
