// Encryption in the age format (https://age-encryption.org), so that other tools open a backup too: `age -d FILE`. Its
// program is loaded by the first backup that is encrypted.
import { Readable } from "node:stream";
import type { Decrypter, Encrypter } from "age-encryption";

/** For whom a backup is encrypted: who knows the passphrase, or who has the identity of a recipient. */
export interface Lock {
  readonly passphrase?: string | undefined;
  /** Such as age1... */
  readonly recipients?: readonly string[] | undefined;
}

/** What opens an encrypted backup. */
export interface Keys {
  readonly passphrase?: string | undefined;
  /** Such as AGE-SECRET-KEY-1... */
  readonly identities?: readonly string[] | undefined;
}

/** How a backup is encrypted, as its first bytes say. */
export type Encryption = "none" | "passphrase" | "recipients";

const AGE_MAGIC = "age-encryption.org/v1\n";
const PASSPHRASE_MARK = "-> scrypt ";
/** So many bytes say how a file is encrypted. */
export const HEAD_BYTES = AGE_MAGIC.length + PASSPHRASE_MARK.length;

/** `head` is the beginning of a file; what is too short for age is not encrypted. */
export function encryptionOf(head: Uint8Array): Encryption {
  const text = Buffer.from(head.subarray(0, HEAD_BYTES)).toString("latin1");
  if (!text.startsWith(AGE_MAGIC)) return "none";
  return text.endsWith(PASSPHRASE_MARK) ? "passphrase" : "recipients";
}

export function isLocked({ passphrase, recipients = [] }: Lock): boolean {
  return passphrase !== undefined || recipients.length > 0;
}

/** 2^16 rounds: a try at a passphrase takes 64 MiB of memory, which a small gateway has, and about a second there. */
const WORK_FACTOR = 16;

/** Throws when a recipient is none. */
async function createEncrypter({ passphrase, recipients = [] }: Lock): Promise<Encrypter> {
  if (passphrase !== undefined && recipients.length > 0) {
    throw new Error("a backup is encrypted by a passphrase or for recipients, not by both");
  }
  const age = await import("age-encryption");
  const encrypter = new age.Encrypter();
  if (passphrase !== undefined) {
    encrypter.setPassphrase(passphrase);
    encrypter.setScryptWorkFactor(WORK_FACTOR);
  }
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new Error(`"${recipient}" is not an age recipient; it looks like age1...`);
    }
  }
  return encrypter;
}

/** Throws when nothing can be encrypted by it, before anything is begun. */
export async function checkLock(lock: Lock): Promise<void> {
  await createEncrypter(lock);
}

export async function encrypt(plain: Readable, lock: Lock): Promise<Readable> {
  const encrypter = await createEncrypter(lock);
  const encrypted = await encrypter.encrypt(toWeb(plain));
  return fromWeb(encrypted);
}

export async function decrypt(encrypted: Readable, { passphrase, identities = [] }: Keys): Promise<Readable> {
  if (passphrase === undefined && identities.length === 0) {
    throw new Error("the backup is encrypted; give its passphrase, or an age identity with --identity FILE");
  }
  const age = await import("age-encryption");
  const decrypter = new age.Decrypter();
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
  for (const identity of identities) decrypter.addIdentity(identity);
  const plain = await open(decrypter, encrypted);
  return fromWeb(plain);
}

/** A passphrase or an identity that does not open the backup. */
export class WrongKey extends Error {}

async function open(decrypter: Decrypter, encrypted: Readable) {
  try {
    return await decrypter.decrypt(toWeb(encrypted));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WrongKey(`the backup cannot be decrypted with this passphrase or identity (${reason})`);
  }
}

/** The identities of a file as age-keygen writes it. */
export function parseIdentities(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  const found = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (found.length === 0) throw new Error("the identity file holds no identity; a line looks like AGE-SECRET-KEY-1...");
  return found;
}

/** The types of Node and of the browser differ, the streams do not. */
const toWeb = (stream: Readable) => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>;
const fromWeb = (stream: ReadableStream<Uint8Array>) =>
  Readable.fromWeb(stream as unknown as Parameters<typeof Readable.fromWeb>[0]);
