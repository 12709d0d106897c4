// Sign-in of programs in terminals by the browser of a person (core/access/terminal-sign-in.ts). Whoever asks needs no token, so
// what it costs is bounded: by address when it begins, by a pace when it asks again, and by the limit of wrong codes.
import type { Caller } from "#core/access/caller.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import {
  type Approval,
  MAX_OPEN_OF_ADDRESS,
  MAX_OPEN_SIGN_INS,
  POLL_INTERVAL_S,
  readUserCode,
  showUserCode,
  TERMINAL_SIGN_IN_LIFETIME_MS,
  type TerminalSignIn,
  userCodeOf,
} from "#core/access/terminal-sign-in.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { addressBlock } from "#core/net/address-block.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { type AttemptLimit, type AttemptLimits, tooManyAttempts } from "#service/access/attempt-limits.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { createToken } from "#service/access/create-token.ts";
import { grantableSites, requireGrantableLevel } from "#service/access/grant.ts";
import { secretKey } from "#service/access/hash-secret.ts";
import type { Call, Needs } from "#service/ports.ts";

const CODE_BYTES = 32;
const USER_CODE_BYTES = 32;
const WINDOW_MS = 600_000;
const BEGUN: AttemptLimit = { name: "terminal", most: MAX_OPEN_OF_ADDRESS, windowMs: WINDOW_MS };
/** Wrong codes that one caller may type in that time. There are 2.5e10 codes. */
const TYPED: AttemptLimit = { name: "terminal code", most: 10, windowMs: WINDOW_MS };
const MAX_ADDRESS_LENGTH = 100;
const MAX_PACED = 2_000;

export interface TerminalNeeds
  extends Pick<Needs, "terminalSignIns" | "tokens" | "sites" | "now" | "newId" | "randomBytes"> {
  readonly authenticator: Pick<Authenticator, "holder">;
  readonly attemptLimits: AttemptLimits;
}

export interface BegunSignIn {
  readonly programCode: string;
  readonly userCode: string;
  readonly expiresAt: Instant;
}

export type Poll =
  | { readonly state: "PENDING" | "SLOW_DOWN" | "DENIED" | "EXPIRED" }
  | { readonly state: "APPROVED"; readonly id: string; readonly text: string };

export interface ShownSignIn
  extends Pick<TerminalSignIn, "program" | "askedLevel" | "remoteAddress" | "createdAt" | "expiresAt"> {
  /** It came from the address from which the person looks at it. */
  readonly isSameAddress: boolean;
}

export interface Granted {
  readonly level: AccessLevel;
  readonly siteIds: readonly string[] | undefined;
  readonly lifetimeMs: number;
}

export interface TerminalSignIns {
  begin(call: Omit<Call, "caller">, asked: Pick<TerminalSignIn, "program" | "askedLevel">): Promise<BegunSignIn>;
  poll(call: Omit<Call, "caller">, programCode: string): Promise<Poll>;
  show(call: Call, typed: string): Promise<ShownSignIn>;
  approve(call: Call, typed: string, granted: Granted): Promise<void>;
  deny(call: Call, typed: string): Promise<void>;
}

export function createTerminalSignIns(needs: TerminalNeeds, wrongPerMinute: number): TerminalSignIns {
  const { terminalSignIns: store, attemptLimits, now } = needs;
  const ofAddress: AttemptLimit = { name: "code", most: wrongPerMinute, windowMs: 60_000 };
  /** When each program asked last. Each node has its own, so a program may ask twice as often where there are two. */
  const asked = new Map<string, number>();

  function isTooSoon(key: string): boolean {
    const last = asked.get(key);
    const at = now();
    asked.delete(key);
    asked.set(key, at);
    const [oldest] = asked.keys();
    if (asked.size > MAX_PACED && oldest !== undefined) asked.delete(oldest);
    // A second less: what the program measures and what is measured here differs by the way.
    return last !== undefined && at >= last && at - last < (POLL_INTERVAL_S - 1) * 1_000;
  }

  /** The one that waits for this code. Counts wrong codes before anything is looked up. */
  async function open({ caller }: Pick<Call, "caller">, typed: string): Promise<TerminalSignIn> {
    requirePerson(caller);
    const { over, forgive } = await attemptLimits.note([TYPED, caller.tokenId]);
    if (over !== undefined) throw tooManyAttempts("wrong codes", over.wait);
    const code = readUserCode(typed);
    const found = code === undefined ? undefined : await store.find({ user: secretKey(code) });
    if (found === undefined || found.decision !== undefined || now() >= found.expiresAt) throw unknown();
    await forgive();
    return found;
  }

  /** A program's code has 256 random bits, so a wrong one is a guess or an old one: what is limited is the work. */
  async function countGuess(remoteAddress: string): Promise<void> {
    const { over } = await attemptLimits.note([ofAddress, addressBlock(remoteAddress)]);
    if (over !== undefined) throw tooManyAttempts("wrong codes from this address", over.wait);
  }

  return {
    async begin({ remoteAddress }, { program, askedLevel }) {
      const block = addressBlock(remoteAddress);
      const { over } = await attemptLimits.note([BEGUN, block]);
      if (over !== undefined) throw tooManyAttempts("programs from this address ask to be let in", over.wait);
      const programCode = Buffer.from(needs.randomBytes(CODE_BYTES)).toString("base64url");
      const userCode = userCodeOf(needs.randomBytes(USER_CODE_BYTES));
      const createdAt = now();
      const expiresAt = instant(createdAt + TERMINAL_SIGN_IN_LIFETIME_MS);
      const isStored =
        userCode !== undefined &&
        (await store.insert({
          signIn: {
            programKey: secretKey(programCode),
            userKey: secretKey(userCode),
            program,
            askedLevel,
            remoteAddress: remoteAddress.slice(0, MAX_ADDRESS_LENGTH),
            createdAt,
            expiresAt,
          },
          addressBlock: block,
          mostOfAddress: MAX_OPEN_OF_ADDRESS,
          most: MAX_OPEN_SIGN_INS,
        }));
      if (!isStored) throw tooManyWait();
      return { programCode, userCode: showUserCode(userCode), expiresAt };
    },

    async poll(call, programCode) {
      const programKey = secretKey(programCode);
      if (isTooSoon(programKey)) return { state: "SLOW_DOWN" };
      const found = await store.find({ program: programKey });
      if (found === undefined) await countGuess(call.remoteAddress);
      if (found === undefined || now() >= found.expiresAt) return { state: "EXPIRED" };
      if (found.decision === undefined) return { state: "PENDING" };
      // Of two calls at once the second gets nothing.
      if (!(await store.take(programKey, now()))) return { state: "EXPIRED" };
      if (found.decision.kind === "denied") return { state: "DENIED" };
      return await handOver(needs, call, found.decision);
    },

    async show(call, typed) {
      const { program, askedLevel, remoteAddress, createdAt, expiresAt } = await open(call, typed);
      const isSameAddress = addressBlock(remoteAddress) === addressBlock(call.remoteAddress);
      return { program, askedLevel, remoteAddress, createdAt, expiresAt, isSameAddress };
    },

    async approve(call, typed, { level, siteIds, lifetimeMs }) {
      const found = await open(call, typed);
      requireGrantableLevel(call.caller, level);
      if (found.askedLevel !== undefined && !allows(found.askedLevel, level)) {
        throw refuse("invalid_body", `the program asks for ${found.askedLevel} at most`, { pointer: "/level" });
      }
      const sites = await grantableSites(needs, call.caller, { level, siteIds });
      const approval: Approval = { tokenId: call.caller.tokenId, name: found.program, level, sites, lifetimeMs };
      if (!(await store.decide(found.userKey, { kind: "approved", ...approval }, now()))) throw unknown();
    },

    async deny(call, typed) {
      const found = await open(call, typed);
      if (!(await store.decide(found.userKey, { kind: "denied" }, now()))) throw unknown();
    },
  };
}

/** With the rights that the person has now: they may have become less, or none, since the approval. */
async function handOver(needs: TerminalNeeds, call: Omit<Call, "caller">, approval: Approval): Promise<Poll> {
  const { tokenId, name, level, sites, lifetimeMs } = approval;
  try {
    const { caller } = await needs.authenticator.holder(tokenId);
    const siteIds = sites === "all" ? undefined : [...sites];
    const input = { name, level, siteIds, expiresInMs: lifetimeMs, ofInstallation: false };
    const made = await createToken(needs, { ...call, caller, operation: "createToken", door: "page" }, input);
    return { state: "APPROVED", ...made };
  } catch (error) {
    if (error instanceof AppError && ["unauthorized", "forbidden", "not_found"].includes(error.code)) {
      return { state: "DENIED" };
    }
    throw error;
  }
}

/**
 * A session, and not a token: the person has to see what is asked. The session of a token is enough only where it may make tokens
 * anyway; otherwise a screen on a wall could make itself a token that outlives it.
 */
function requirePerson({ sessionId, accountId, tokenId, level }: Caller): void {
  if (sessionId !== undefined && (accountId === tokenId || allows(level, "owner"))) return;
  throw refuse("forbidden", "only somebody who is signed in to the page as a person, or as an owner, lets programs in");
}

function unknown(): AppError {
  return refuse(
    "not_found",
    "no program waits with this code: it was used before, is older than 10 minutes, or was mistyped",
  );
}

function tooManyWait(): AppError {
  const message = `too many programs wait to be let in; try again in ${POLL_INTERVAL_S} s`;
  return new AppError([{ code: "overloaded", message }], POLL_INTERVAL_S);
}
