import { ApiError, UnreachableError } from "#client/errors.ts";
import type { Account, Answers, Bodies, SecondFactorOffer, Session } from "#client/resources.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import { onSessionRefused, perform } from "./connection.ts";
import { heldLevel } from "./held-level.ts";
import { usePasskey } from "./passkeys.ts";
import { preferences } from "./preferences.svelte.ts";
import { type ProviderProblem, providerProblemOf } from "./provider.svelte.ts";

type Phase = "unknown" | "signed out" | "signed in";
/** Why a sign-in did not work. */
export type SignInProblem = "wrong" | "limited" | "unreachable" | "other";
/** What a one-time link would do to a session that this browser has already. */
export interface Replacement {
  /** The token of the link. */
  readonly tokenName: string;
}

/** The password was right, or the provider knows the person, and the code of the app is missing. */
export interface SecondStep {
  readonly step: string;
  /** The person has to have an app, and has none yet. */
  readonly enrolment: SecondFactorOffer | null;
}

/** Of an app that was set up with the sign-in. They are shown before the page goes on. */
export interface NewRecoveryCodes {
  readonly codes: readonly string[];
  readonly goOn: () => void;
}

let phase = $state<Phase>("unknown");
let current = $state.raw<Session | undefined>();
/** The site that the screen is about. */
let siteId = $state<string | undefined>();
/** The person who is signed in, or was here last, signs in by a provider, and may still be signed in there. */
let cameByProvider = $state(false);
let entered = Promise.withResolvers<Session>();
/** Whether a session ended while the page was open, rather than never having been. */
let hasEnded = $state(false);

export const session = {
  get phase(): Phase {
    return phase;
  },
  get current(): Session | undefined {
    return current;
  },
  get cameByProvider(): boolean {
    return cameByProvider;
  },
  get hasEnded(): boolean {
    return hasEnded;
  },
  /** At the site that the screen is about; on a screen that is about none or about all, the most that the session has anywhere. */
  get level(): AccessLevel {
    return heldLevel(current, siteId);
  },
  /** Whether this browser was signed in when it was here last. Whoever believes it saves the time to ask first. */
  get isLikely(): boolean {
    return hint.read();
  },
  /** The session, once there is one. */
  known: (): Promise<Session> => (current === undefined ? entered.promise : Promise.resolve(current)),
  /** Whether the session's level is enough. */
  allows: (needed: AccessLevel): boolean => allows(heldLevel(current, siteId), needed),
  /** Of a list about several sites. */
  levelAt: (id: string): AccessLevel => heldLevel(current, id),
  /** For what is about all sites: whether the level is enough at each that there is and will be. */
  allowsEverywhere: (needed: AccessLevel): boolean =>
    current !== undefined && current.site_ids === null && allows(current.level, needed),
  /** The page says which site its screen is about. */
  lookAt(id: string | undefined): void {
    siteId = id;
  },

  /** Finds out whether there is a session. Throws when the server does not answer. */
  async find(): Promise<void> {
    const { session: found } = await perform("findSession");
    if (found !== null) return enter(found);
    phase = "signed out";
    hint.write(undefined);
  },

  /** With a token, or as a person. */
  async signIn(
    by: { readonly token: string } | { readonly mail: string; readonly password: string },
  ): Promise<SignInProblem | "linked" | SecondStep | undefined> {
    try {
      return enterOrAsk(await perform("createSession", { body: by }));
    } catch (error) {
      return linkedOr(error);
    }
  },

  /** With a key that a device keeps. `declined`: the device gave none. */
  async signInWithPasskey(): Promise<SignInProblem | "linked" | "declined" | undefined> {
    try {
      const used = await usePasskey(await perform("offerPasskeySignIn"));
      if (used === undefined) return "declined";
      enter((await perform("signInWithPasskey", { body: used })).session);
      return undefined;
    } catch (error) {
      return linkedOr(error);
    }
  },

  /** With what the provider gave to the browser on its way back. */
  async finishWithProvider(parameters: string): Promise<ProviderProblem | SecondStep | undefined> {
    try {
      return enterOrAsk(await perform("finishProviderSignIn", { body: { parameters } }));
    } catch (error) {
      return providerProblemOf(error);
    }
  },

  /** Links the own account to who the provider says, with what it gave to the browser. */
  async linkWithProvider(parameters: string): Promise<ProviderProblem | undefined> {
    try {
      enter((await perform("linkProvider", { body: { parameters } })).session);
      return undefined;
    } catch (error) {
      return providerProblemOf(error);
    }
  },

  /** All other sessions of the person end; this browser gets a new one. */
  async unlinkFromProvider(proof: Bodies["unlinkProvider"]): Promise<void> {
    enter((await perform("unlinkProvider", { body: proof })).session);
  },

  /** With a code of the app, or a recovery code. `over`: the sign-in has to begin again. */
  async finishSignIn(
    { step }: SecondStep,
    code: string,
  ): Promise<SignInProblem | "over" | NewRecoveryCodes | undefined> {
    try {
      const { session: found, recovery_codes: codes } = await perform("finishSignIn", { body: { step, code } });
      if (codes !== null) return { codes, goOn: () => enter(found) };
      enter(found);
      return undefined;
    } catch (error) {
      const isOver = error instanceof ApiError && error.status === 401 && error.details?.["pointer"] === "/step";
      return isOver ? "over" : problemOf(error);
    }
  },

  /** With the code of a one-time link. Where it would end the session of another token, it does so only with `replace`. */
  async follow(code: string, replace = false): Promise<SignInProblem | Replacement | undefined> {
    try {
      enterOrAsk(await perform("createSession", { body: { code, replace } }));
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "conflict") return problemOf(error);
      return { tokenName: String(error.details?.["token_name"]) };
    }
  },

  /** The language and the time format that a person has chosen hold in this browser, too. */
  applyAccount({ language, time_format }: Pick<Account, "language" | "time_format">): void {
    preferences.choose({
      ...(language !== null && { locale: language }),
      ...(time_format !== null && { hours: time_format }),
    });
  },

  /** Sets the password of the person who was invited, and signs in. */
  async acceptInvitation(code: string, password: string): Promise<SignInProblem | SecondStep | "weak" | undefined> {
    try {
      return enterOrAsk(await perform("acceptInvitation", { body: { code, password } }));
    } catch (error) {
      return error instanceof ApiError && error.status === 400 ? "weak" : problemOf(error);
    }
  },

  /** All other sessions of the person end; this browser gets a new one. */
  async changePassword(current_password: string, new_password: string): Promise<void> {
    enter((await perform("changeOwnPassword", { body: { current_password, new_password } })).session);
  },

  /** Here, or in every browser that signed in with the same token. */
  async signOut({ everywhere = false }: { readonly everywhere?: boolean } = {}): Promise<void> {
    await (everywhere ? perform("endOwnSessions") : perform("endCurrentSession"));
    leave(false);
  },
};

/** Whoever is linked to a provider signs in by it alone. */
function linkedOr(error: unknown): SignInProblem | "linked" {
  const isLinked = error instanceof ApiError && error.details?.["reason"] === "linked";
  return isLinked ? "linked" : problemOf(error);
}

function problemOf(error: unknown): SignInProblem {
  if (error instanceof UnreachableError) return "unreachable";
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 429) return "limited";
  return status >= 400 && status < 500 ? "wrong" : "other";
}

/** A person with a second factor is asked for a code first. */
function enterOrAsk({ session: found, second_factor }: Answers["createSession"]): SecondStep | undefined {
  if (second_factor !== null) return { step: second_factor.step, enrolment: second_factor.enrolment };
  if (found !== null) enter(found);
  return undefined;
}

function enter(found: Session): void {
  current = found;
  phase = "signed in";
  hasEnded = false;
  entered.resolve(found);
  entered = Promise.withResolvers();
  hint.write(found.expires_at);
  cameByProvider = false;
  if (found.account_id !== null) void readAccount();
}

/** Nothing waits for it: the page is drawn as this browser was used last. */
async function readAccount(): Promise<void> {
  try {
    const { account } = await perform("getOwnAccount");
    cameByProvider = account.provider !== null;
    session.applyAccount(account);
  } catch {
    // The next visit tries again.
  }
}

function leave(wasRefused: boolean): void {
  if (phase !== "signed in") return;
  current = undefined;
  phase = "signed out";
  hasEnded = wasRefused;
  hint.write(undefined);
}

const HINT = "busbar.signed-in";
/** Until when the session lasts. A browser may refuse storage; then there is no hint. */
const hint = {
  read(): boolean {
    try {
      return Date.parse(localStorage.getItem(HINT) ?? "") > Date.now();
    } catch {
      return false;
    }
  },
  write(expiresAt: string | undefined): void {
    try {
      if (expiresAt === undefined) localStorage.removeItem(HINT);
      else localStorage.setItem(HINT, expiresAt);
    } catch {
      // See above.
    }
  },
};

onSessionRefused(() => leave(true));
