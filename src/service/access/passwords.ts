// Passwords are hashed with argon2id, which costs an attacker memory for each guess. The work runs in threads of libuv, so it delays
// no answer, and little of it at once: each takes 19 MiB.
import { argon2, timingSafeEqual } from "node:crypto";
import { AppError } from "#core/app-error.ts";
import type { Shares } from "#core/share/shares.ts";
import type { PasswordHash } from "#service/ports/account-store.ts";

/** The least that OWASP recommends (memory in KiB). A Raspberry Pi 4 shall answer within a second. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
/** Stored hashes of more than this were not made here. */
const MOST_MEMORY = 262_144;
const MOST_PASSES = 10;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** An address has one at a time, so that guessing delays others little. */
const SHARE = { slots: 2, slotsPerKey: 1, waiting: 64, waitingPerKey: 4 };
const RETRY_AFTER_S = 2;

export interface Passwords {
  /** `requester` is whose share it takes. Throws `overloaded` where too many wait. */
  hash(password: string, requester: string): Promise<PasswordHash>;
  /** Does the same work where nothing is stored, so that the time does not tell which accounts exist. */
  matches(password: string, stored: PasswordHash | undefined, requester: string): Promise<boolean>;
}

interface Parsed {
  readonly cost: typeof COST;
  readonly salt: Uint8Array;
  readonly tag: Uint8Array;
}

export function createPasswords(
  {
    shares,
    randomBytes,
  }: { readonly shares: Pick<Shares, "open">; readonly randomBytes: (length: number) => Uint8Array },
  derive = deriveKey,
): Passwords {
  const turns = shares.open("passwords", SHARE);
  const nobody: Parsed = { cost: COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

  async function inTurn<Result>(requester: string, task: () => Promise<Result>): Promise<Result> {
    const turn = turns.enter(requester);
    if (turn === undefined) throw tooMany();
    const leave = await turn;
    try {
      return await task();
    } finally {
      leave();
    }
  }

  return {
    hash: (password, requester) =>
      inTurn(requester, async () => {
        const salt = randomBytes(SALT_BYTES);
        return render({ cost: COST, salt, tag: await derive(password, { cost: COST, salt }) });
      }),
    matches: (password, stored, requester) =>
      inTurn(requester, async () => {
        const known = stored === undefined ? undefined : parse(stored);
        const { cost, salt, tag } = known ?? nobody;
        const isSame = timingSafeEqual(await derive(password, { cost, salt }), tag);
        return known !== undefined && isSame;
      }),
  };
}

/** Umlauts come in two spellings, depending on the keyboard. */
const bytesOf = (password: string): Uint8Array => Buffer.from(password.normalize("NFC"), "utf8");

function deriveKey(password: string, { cost, salt }: Pick<Parsed, "cost" | "salt">): Promise<Uint8Array> {
  const settings = { message: bytesOf(password), nonce: salt, tagLength: TAG_BYTES, ...cost };
  return new Promise((resolve, reject) => {
    argon2("argon2id", settings, (error, tag) => (error === null ? resolve(tag) : reject(error)));
  });
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replaceAll("=", "");

/** In the form that other programs use, too. */
function render({ cost: { memory, passes, parallelism }, salt, tag }: Parsed): PasswordHash {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** Undefined for a damaged one: nobody signs in with it. */
function parse(stored: PasswordHash): Parsed | undefined {
  const parts = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=1\$([A-Za-z0-9+/]{11,88})\$([A-Za-z0-9+/]{43})$/.exec(
    stored,
  );
  if (parts === null) return undefined;
  const [memory, passes] = [Number(parts[1]), Number(parts[2])];
  if (memory < 8 || memory > MOST_MEMORY || passes < 1 || passes > MOST_PASSES) return undefined;
  const [salt, tag] = [Buffer.from(parts[3] ?? "", "base64"), Buffer.from(parts[4] ?? "", "base64")];
  return { cost: { memory, passes, parallelism: 1 }, salt, tag };
}

function tooMany(): AppError {
  const message = "too many passwords wait to be checked; try again in a moment";
  return new AppError([{ code: "overloaded", message }], RETRY_AFTER_S);
}
