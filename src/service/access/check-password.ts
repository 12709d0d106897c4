// Whether a mail address and a password belong to a person. Guessing is slow, and nothing tells strangers who has an account:
// an unknown address and a wrong password cost the same work and get the same answer, and both are counted alike.
import { mailKey } from "#core/access/account.ts";
import { createWrongTokenLimit } from "#core/access/wrong-token-limit.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { addressBlock } from "#core/net/address-block.ts";
import type { Passwords } from "#service/access/passwords.ts";
import type { Needs } from "#service/ports.ts";

/** Wrong passwords for one mail address, from wherever they come. */
const MOST_WRONG = 20;
const WINDOW_MS = 15 * 60_000;

export interface Credentials {
  readonly mail: string;
  readonly password: string;
}

/** The id of the person. Throws `unauthorized`, or `too_many_sign_ins` without looking at the password. */
export type CheckPassword = (given: Credentials, remoteAddress: string) => Promise<string>;

interface CheckNeeds extends Pick<Needs, "accounts" | "sessions" | "now"> {
  readonly passwords: Pick<Passwords, "matches">;
}

export function createPasswordCheck(needs: CheckNeeds, wrongPerMinute: number): CheckPassword {
  const ofAddress = createWrongTokenLimit(wrongPerMinute);
  const ofMail = createWrongTokenLimit(MOST_WRONG, { windowMs: WINDOW_MS });

  /** Whoever guesses elsewhere must not keep a person out where that person already is. */
  async function isAtHome(id: string | undefined, address: string): Promise<boolean> {
    const all = await needs.sessions.all();
    return all.some((session) => session.tokenId === id && addressBlock(session.remoteAddress) === address);
  }

  return async ({ mail, password }, remoteAddress) => {
    const [address, key] = [addressBlock(remoteAddress), mailKey(mail)];
    // Counted before the work, so that many at once are not checked either.
    const now = needs.now();
    const waitOfAddress = ofAddress.note(address, now);
    if (waitOfAddress > 0) throw tooMany("from this address", waitOfAddress);
    const waitOfMail = ofMail.note(key, now);
    const account = await needs.accounts.findPassword(mail);
    if (waitOfMail > 0 && !(await isAtHome(account?.id, address))) throw tooMany("for this person", waitOfMail);
    const isRight = await needs.passwords.matches(password, account?.password, `address ${address}`);
    if (account === undefined || !isRight) throw wrongCredentials();
    ofAddress.forgive(address);
    ofMail.forgive(key);
    return account.id;
  };
}

export function wrongCredentials(): AppError {
  return refuse("unauthorized", "the mail address or the password is wrong, or the account is suspended");
}

function tooMany(what: string, wait: number): AppError {
  const message = `too many wrong passwords ${what}; try again in ${wait} s`;
  return new AppError([{ code: "too_many_sign_ins", message }], wait);
}
