// Codes that sign in once, in a link that a terminal prints. They are kept in memory, as hashes: a restart ends them.
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

interface SignInCode {
  readonly code: string;
  readonly expiresAt: Instant;
}

export interface SignInCodes {
  /** `isForScreen`: a screen on a wall, where nobody signs in again. Its session lasts as long as its token. */
  create(tokenId: string, isForScreen?: boolean): SignInCode;
  /** What the code is for. It stays valid. Throws `unauthorized`. */
  find(code: string): { readonly tokenId: string; readonly isForScreen: boolean };
  /** Uses up the code. Throws `unauthorized`. */
  take(code: string): void;
}

interface Kept {
  readonly tokenId: string;
  readonly isForScreen: boolean;
  readonly expiresAt: Instant;
}

export function createSignInCodes(needs: Pick<Needs, "now" | "randomBytes">): SignInCodes {
  /** In the order of their creation, by the hash of the code. */
  const codes = new Map<string, Kept>();

  function makeRoom(tokenId: string): void {
    const now = needs.now();
    for (const [key, { expiresAt }] of codes) if (now >= expiresAt) codes.delete(key);
    const own = [...codes].filter(([, kept]) => kept.tokenId === tokenId).map(([key]) => key);
    for (const key of own.slice(0, Math.max(0, own.length + 1 - MAX_PER_TOKEN))) codes.delete(key);
    if (codes.size >= MAX_CODES) for (const oldest of codes.keys()) if (codes.delete(oldest)) break;
  }

  function find(key: string): Kept {
    const kept = codes.get(key);
    if (kept !== undefined && needs.now() < kept.expiresAt) return kept;
    throw refuse(
      "unauthorized",
      "the link was used before, or it is older than 10 minutes; `busbar open` prints a new one",
    );
  }

  return {
    create(tokenId, isForScreen = false) {
      makeRoom(tokenId);
      const code = Buffer.from(needs.randomBytes(CODE_BYTES)).toString("base64url");
      const expiresAt = instant(needs.now() + LIFETIME_MS);
      codes.set(secretKey(code), { tokenId, isForScreen, expiresAt });
      return { code, expiresAt };
    },
    find: (code) => find(secretKey(code)),
    take(code) {
      const key = secretKey(code);
      find(key);
      codes.delete(key);
    },
  };
}
