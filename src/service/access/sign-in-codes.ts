// Codes that sign in once, in a link that a terminal prints or a screen on a wall opens. They are stored as hashes, so that any
// node takes them.
import { refuse } from "#core/app-error.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { secretKey } from "#service/access/hash-secret.ts";
import type { Needs } from "#service/ports.ts";

const LIFETIME_MS = 600_000;
const CODE_BYTES = 32;
/** One more ends the token's oldest. */
const MAX_PER_TOKEN = 8;
/** Of all tokens together; the oldest go first. */
const MAX_CODES = 1_000;

export interface SignInCodes {
  /** `isForScreen`: a screen on a wall, where nobody signs in again. Its session lasts as long as its token. */
  create(tokenId: string, isForScreen?: boolean): Promise<{ readonly code: string; readonly expiresAt: Instant }>;
  /** What the code is for. It stays valid. Throws `unauthorized`. */
  find(code: string): Promise<{ readonly tokenId: string; readonly isForScreen: boolean }>;
  /** Uses up the code. Throws `unauthorized`. */
  take(code: string): Promise<void>;
}

export function createSignInCodes({
  now,
  randomBytes,
  sessions,
}: Pick<Needs, "now" | "randomBytes" | "sessions">): SignInCodes {
  return {
    async create(tokenId, isForScreen = false) {
      const code = Buffer.from(randomBytes(CODE_BYTES)).toString("base64url");
      const createdAt = now();
      const expiresAt = instant(createdAt + LIFETIME_MS);
      const stored = { hash: secretKey(code), tokenId, isForScreen, createdAt, expiresAt };
      await sessions.insertCode({ code: stored, mostOfToken: MAX_PER_TOKEN, most: MAX_CODES });
      return { code, expiresAt };
    },
    async find(code) {
      const found = await sessions.findCode(secretKey(code));
      if (found === undefined || now() >= found.expiresAt) throw notAccepted();
      return found;
    },
    async take(code) {
      if (!(await sessions.takeCode(secretKey(code), now()))) throw notAccepted();
    },
  };
}

function notAccepted(): Error {
  return refuse(
    "unauthorized",
    "the link was used before, or it is older than 10 minutes; `busbar open` prints a new one",
  );
}
