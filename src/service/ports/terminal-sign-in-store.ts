import type { Decision, TerminalSignIn } from "#core/access/terminal-sign-in.ts";
import type { Instant } from "#core/time/instant.ts";

export interface NewTerminalSignIn {
  readonly signIn: Omit<TerminalSignIn, "decision">;
  /** The owner of the address that asks. */
  readonly addressBlock: string;
  /** Beyond so many of one address its oldest ends. With so many of all, a further one is not stored. */
  readonly mostOfAddress: number;
  readonly most: number;
}

export interface TerminalSignInStore {
  /** Deletes what has expired. False: there are too many. */
  insert(input: NewTerminalSignIn): Promise<boolean>;
  /** By the key of the code that people type, or of the program's own. Also one that has expired. */
  find(key: { readonly user: string } | { readonly program: string }): Promise<TerminalSignIn | undefined>;
  /** False when there is none that is open: of two decisions at once, one counts. */
  decide(userKey: string, decision: Decision, now: Instant): Promise<boolean>;
  /** Uses up one that was decided. False when there is none: of two calls at once, one gets it. */
  take(programKey: string, now: Instant): Promise<boolean>;
}
