// The key behind sealed values: a file of its own outside the database, readable by the owner alone.
import { hkdfSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SEAL_KEY_BYTES } from "#service/access/seal.ts";
import { writeSecretFile } from "#store/write-secret-file.ts";

/** `isNeeded` says whether something is stored that only the right key opens. */
export async function readSealKey(data: string, isNeeded: () => Promise<boolean>): Promise<Uint8Array> {
  const file = join(data, "seal.key");
  try {
    const key = Buffer.from(readFileSync(file, "utf8").trim(), "hex");
    if (key.length === SEAL_KEY_BYTES) return key;
    throw new Error(`${file} does not hold a key; restore it from a backup: without it sealed values are lost`);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  if (await isNeeded()) {
    throw new Error(
      `${file} is missing, and configuration, webhooks or commands are stored that only this key opens.\n` +
        "Restore it from a backup and start again. If it is lost for good, start once with --seal-replace-lost-key:\n" +
        "a new key is made, and what the old one sealed has to be entered anew",
    );
  }
  const key = randomBytes(SEAL_KEY_BYTES);
  writeSecretFile(file, `${key.toString("hex")}\n`, 0o400);
  return key;
}

/** Another key that lives as long as the first one and reveals nothing of it. */
export function deriveKey(key: Uint8Array, purpose: string, bytes: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", `busbar: ${purpose}`, bytes));
}
