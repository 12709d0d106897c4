import { atLeast, type Caller, covers } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import type { Session } from "#core/access/session.ts";
import { isLive, type TokenRecord } from "#core/access/token-record.ts";
import { AppError, refuse } from "#core/app-error.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { sameHash } from "#service/access/hash-secret.ts";
import type { Sessions } from "#service/access/sessions.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface ListSessionsNeeds extends Pick<Needs, "sessions" | "tokens" | "now"> {
  readonly authenticator: Pick<Authenticator, "holder">;
  readonly openSessions: Pick<Sessions, "isCurrent" | "lastUse">;
}

/** A session and the token that it stands for. */
export interface TokenSession {
  readonly session: Session;
  readonly token: TokenRecord;
}

/** The caller's own sessions and, for an owner, those of the tokens that it can list. */
export async function listSessions(
  needs: ListSessionsNeeds,
  { caller }: Pick<Call, "caller">,
  page: PageRequest,
): Promise<Page<TokenSession>> {
  const seen = await visibleSessions(needs, caller);
  return { items: seen.slice(page.offset, page.offset + page.limit), total: seen.length };
}

/** The session of the call itself. */
export async function currentSession(
  needs: ListSessionsNeeds,
  { caller }: Pick<Call, "caller">,
): Promise<TokenSession> {
  const session = caller.sessionId === undefined ? undefined : await needs.sessions.find(caller.sessionId);
  if (session === undefined) throw refuse("not_found", "this call used an access token, so there is no session");
  const { token } = await needs.authenticator.holder(session.tokenId);
  return { session: withLastUse(needs, session), token };
}

/** The session of a cookie; undefined when it has ended, or never was. */
export async function findSession(
  needs: ListSessionsNeeds & { readonly openSessions: Pick<Sessions, "authenticate"> },
  cookie: string,
): Promise<TokenSession | undefined> {
  try {
    const { caller } = await needs.openSessions.authenticate(cookie, false);
    return await currentSession(needs, { caller });
  } catch (error) {
    if (error instanceof AppError && (error.code === "unauthorized" || error.code === "not_found")) return undefined;
    throw error;
  }
}

export async function visibleSession(
  needs: ListSessionsNeeds,
  { caller }: Pick<Call, "caller">,
  sessionId: string,
): Promise<TokenSession> {
  const session = await needs.sessions.find(sessionId);
  // Read in any case, so that the time does not reveal whether there is such a session.
  const token = await needs.tokens.find(session?.tokenId ?? sessionId);
  if (session === undefined || token === undefined || !sees(caller, token) || !isOpen(needs, session, token)) {
    throw refuse("not_found", `there is no session ${sessionId}`);
  }
  return { session, token };
}

async function visibleSessions(needs: ListSessionsNeeds, caller: Caller): Promise<readonly TokenSession[]> {
  const tokens = new Map((await needs.tokens.all()).map((token) => [token.id, token]));
  return (await needs.sessions.all()).flatMap((session) => {
    const token = tokens.get(session.tokenId);
    if (token === undefined || !sees(caller, token) || !isOpen(needs, session, token)) return [];
    return [{ session: withLastUse(needs, session), token }];
  });
}

function sees(caller: Caller, token: TokenRecord): boolean {
  if (token.id === caller.tokenId) return true;
  const owner = atLeast(caller, "owner");
  return allows(owner.level, "owner") && covers(owner, token);
}

/** Whether its cookie would be accepted. */
function isOpen({ now, openSessions }: ListSessionsNeeds, session: Session, token: TokenRecord): boolean {
  return isLive(token, now()) && sameHash(token.hash, session.tokenHash) && openSessions.isCurrent(session);
}

function withLastUse({ openSessions }: ListSessionsNeeds, session: Session): Session {
  return { ...session, lastUsedAt: openSessions.lastUse(session) };
}
