import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "#core/access/caller.ts";
import type { WrongTokenLimit } from "#core/access/wrong-token-limit.ts";
import { requireOwnPage } from "#http/same-origin.ts";
import type { TokenHeaders } from "#http/token-headers.ts";
import { wantsWebSocket } from "#http/web-sockets.ts";
import { afterWrongToken } from "#service/access/after-wrong-token.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { type SessionCookie, secondsUntil } from "#service/access/session-cookie.ts";
import type { Accepted, Sessions } from "#service/access/sessions.ts";
import type { Needs } from "#service/ports.ts";

export interface AuthenticateNeeds extends Pick<Needs, "now"> {
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly openSessions: Pick<Sessions, "authenticate">;
  readonly sessionCookie: SessionCookie;
  readonly wrongTokens: WrongTokenLimit;
}

/** Synchronous when the token is known, otherwise after a lookup in the records. Throws or rejects with the refusal. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Caller | Promise<Caller>;

/** A right token always passes, whatever others at its address sent. Wrong tokens soon have to wait. */
export function createAuthenticate(
  needs: AuthenticateNeeds,
  tokenHeaders: Pick<TokenHeaders, "tokenIn">,
): Authenticate {
  /** The session of a browser, where the call carries no token. */
  function bySession(request: FastifyRequest, reply: FastifyReply, cookie: string): Caller | Promise<Caller> {
    requireOwnPage(request);
    const accept = ({ caller, renewed }: Accepted) => {
      if (renewed === undefined) return caller;
      const left = secondsUntil(renewed.expiresAt, needs.now());
      reply.header("set-cookie", needs.sessionCookie.write(renewed.text, left, isSecure(request)));
      return caller;
    };
    // The answer to a WebSocket's request cannot carry a cookie.
    const found = needs.openSessions.authenticate(cookie, !wantsWebSocket(request.raw));
    return found instanceof Promise ? found.then(accept) : accept(found);
  }

  return (request, reply) => {
    const text = tokenHeaders.tokenIn(request.raw.headers);
    if (text === undefined) {
      const header = request.raw.headers.cookie;
      const cookie = header && needs.sessionCookie.read(header, isSecure(request));
      // A call without a token is no guess, so it does not count.
      return cookie ? bySession(request, reply, cookie) : needs.authenticator.authenticate(text);
    }
    try {
      const found = needs.authenticator.authenticate(text, request.raw.socket);
      if (!(found instanceof Promise)) return found;
      return found.catch((error: unknown) => {
        throw afterWrongToken(needs, request.ip, error);
      });
    } catch (error) {
      throw afterWrongToken(needs, request.ip, error);
    }
  };
}

/** Whether the call came over TLS, as far as a trusted proxy says so. */
export const isSecure = ({ protocol }: Pick<FastifyRequest, "protocol">): boolean => protocol === "https";
