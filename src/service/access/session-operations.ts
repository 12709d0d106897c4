import { refuse } from "#core/app-error.ts";
import { renderInstant } from "#core/time/instant.ts";
import { afterWrongToken, type WrongTokenNeeds } from "#service/access/after-wrong-token.ts";
import { answerSignIn } from "#service/access/answer-signed-in.ts";
import { endCurrentSession, endOwnSessions, endSession } from "#service/access/end-sessions.ts";
import { currentSession, findSession, listSessions } from "#service/access/list-sessions.ts";
import { type SessionCookie, withCookie } from "#service/access/session-cookie.ts";
import {
  codeSchema,
  foundSessionAnswer,
  listedSessionSchema,
  parseSignIn,
  renderListedSession,
  renderSession,
  sessionAnswer,
  signInAnswer,
  signInSchema,
} from "#service/access/session-wire.ts";
import type { Sessions } from "#service/access/sessions.ts";
import { type SignInNeeds, signIn } from "#service/access/sign-in.ts";
import type { SignInCodes } from "#service/access/sign-in-codes.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Access";

export interface SessionNeeds extends SignInNeeds, WrongTokenNeeds, Pick<Needs, "tokens"> {
  readonly sessionCookie: SessionCookie;
  readonly openSessions: Sessions;
  readonly signInCodes: SignInCodes;
}

export function sessionOperations(needs: SessionNeeds): readonly Operation[] {
  const { sessionCookie } = needs;
  return [
    operation({
      method: "POST",
      path: "/v3/sessions",
      name: "createSession",
      summary: "Sign in",
      description:
        "For pages of this server: exchanges a token, the code of a link that Busbar printed, or a mail address and a password for a session in an HttpOnly cookie. " +
        "It answers the same, and as slowly, whether the mail address or the password is wrong. " +
        "Of a person with a second factor the answer has no session, but the `second_factor.step` with which `finishSignIn` is called. " +
        "The session has the token's level and sites and ends with the token. " +
        "A code does not replace the browser's session of another token without `replace`: 409, and the code stays valid. " +
        "Programs send their token instead.",
      tag,
      level: "public",
      ownPageOnly: true,
      body: signInSchema,
      answer: signInAnswer,
      run: async (call) => {
        const by = parseSignIn(call.body);
        const formerCookie = sessionCookie.read(call.header("cookie") ?? "", call.isSecure());
        const input = {
          by,
          formerCookie,
          mayReplace: call.body.replace === true,
          userAgent: call.header("user-agent") ?? "",
        };
        const signedIn = await signIn(needs, call, input).catch((error: unknown) => {
          // A wrong password is counted where it is checked.
          throw "mail" in by ? error : afterWrongToken(needs, call.remoteAddress, error);
        });
        return answerSignIn(needs, call, signedIn);
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sessions/here",
      name: "findSession",
      summary: "Whether this browser is signed in",
      description:
        "For pages of this server: the session of the browser's cookie, or null. A visit without a session is no refusal. " +
        "Programs ask for their token instead.",
      tag,
      level: "public",
      ownPageOnly: true,
      answer: foundSessionAnswer,
      run: async (call) => {
        const cookie = sessionCookie.read(call.header("cookie") ?? "", call.isSecure());
        const found = cookie === undefined ? undefined : await findSession(needs, cookie);
        return { session: found === undefined ? null : renderSession(found.session, found.token) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sessions/current",
      name: "getCurrentSession",
      summary: "Who is signed in",
      description: "The session of the call itself. A call with a token has none: 404.",
      tag,
      level: "readonly",
      answer: sessionAnswer,
      run: async (call) => {
        const { session, token } = await currentSession(needs, call);
        return { session: renderSession(session, token) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sessions",
      name: "listSessions",
      summary: "List sessions",
      description: "Those of the caller's own token and, from level owner on, of the tokens that the caller can list.",
      tag,
      level: "readonly",
      query: paging,
      answer: listAnswer("sessions", listedSessionSchema),
      run: async (call) => {
        const { sessionId } = call.caller;
        const page = await listSessions(needs, call, pageOf(call.query));
        return renderPage("sessions", page, (one) => renderListedSession(one, sessionId));
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sessions/current",
      name: "endCurrentSession",
      summary: "Sign out",
      tag,
      level: "readonly",
      answer: NOTHING,
      run: async (call) => {
        await endCurrentSession(needs, call);
        return withCookie({}, sessionCookie.clear(call.isSecure()));
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sessions/:session_id",
      name: "endSession",
      summary: "End a session",
      description: "Effective at once: its next call is refused, and its open event streams end.",
      tag,
      level: "readonly",
      answer: NOTHING,
      run: async (call) => {
        await endSession(needs, call, call.params.session_id);
        return {};
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sessions",
      name: "endOwnSessions",
      summary: "Sign out everywhere",
      description: "Ends all sessions of the caller's own token. The token itself stays valid.",
      tag,
      level: "readonly",
      answer: NOTHING,
      run: async (call) => {
        await endOwnSessions(needs, call);
        return call.caller.sessionId === undefined ? {} : withCookie({}, sessionCookie.clear(call.isSecure()));
      },
    }),
    operation({
      method: "POST",
      path: "/v3/sessions/codes",
      name: "createSignInCode",
      summary: "Create a code that signs in once",
      description:
        "For a link to the page, which then acts with the caller's token. Needs the token itself: a session cannot make further ones.",
      tag,
      level: "readonly",
      answer: codeSchema,
      run: async ({ caller }) => {
        if (caller.sessionId !== undefined) {
          throw refuse("forbidden", "a session cannot make codes that sign in; send the token itself");
        }
        const { code, expiresAt } = await needs.signInCodes.create(caller.tokenId);
        return { code, expires_at: renderInstant(expiresAt) };
      },
    }),
  ];
}
