// Whether a mail address and a password belong to a person. Guessing is slow, and nothing tells strangers who has an account:
// an unknown address and a wrong password cost the same work and get the same answer, and both are counted alike.
import { mailKey } from "#core/access/account.ts";
import { type AppError, refuse } from "#core/app-error.ts";
import { addressBlock } from "#core/net/address-block.ts";
import { type AttemptLimit, type AttemptLimits, tooManyAttempts } from "#service/access/attempt-limits.ts";
import type { Passwords } from "#service/access/passwords.ts";
import type { Needs } from "#service/ports.ts";

const MINUTE_MS = 60_000;
/** Wrong passwords for one mail address, from wherever they come. */
const OF_MAIL: AttemptLimit = { name: "mail", most: 20, windowMs: 15 * MINUTE_MS };

export interface Credentials {
  readonly mail: string;
  readonly password: string;
}

/** The id of the person. Throws `unauthorized`, or `too_many_sign_ins` without looking at the password. */
export type CheckPassword = (given: Credentials, remoteAddress: string) => Promise<string>;

interface CheckNeeds extends Pick<Needs, "accounts" | "sessions"> {
  readonly passwords: Pick<Passwords, "matches">;
  readonly attemptLimits: AttemptLimits;
}

export function createPasswordCheck(needs: CheckNeeds, wrongPerMinute: number): CheckPassword {
  const ofAddress: AttemptLimit = { name: "address", most: wrongPerMinute, windowMs: MINUTE_MS };

  /** Whoever guesses elsewhere must not keep a person out where that person already is. */
  async function isAtHome(id: string | undefined, address: string): Promise<boolean> {
    const all = await needs.sessions.all();
    return all.some((session) => session.tokenId === id && addressBlock(session.remoteAddress) === address);
  }

  return async ({ mail, password }, remoteAddress) => {
    const address = addressBlock(remoteAddress);
    const { over, forgive } = await needs.attemptLimits.note([ofAddress, address], [OF_MAIL, mailKey(mail)]);
    if (over?.limit === ofAddress) throw tooManyAttempts("wrong passwords from this address", over.wait);
    const account = await needs.accounts.findPassword(mail);
    if (over !== undefined && !(await isAtHome(account?.id, address)))
      throw tooManyAttempts("wrong passwords for this person", over.wait);
    const isRight = await needs.passwords.matches(password, account?.password, `address ${address}`);
    if (account === undefined || !isRight) throw wrongCredentials();
    await forgive();
    return account.id;
  };
}

export function wrongCredentials(): AppError {
  return refuse("unauthorized", "the mail address or the password is wrong, or the account is suspended");
}
