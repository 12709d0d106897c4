import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "#core/access/caller.ts";
import { createWrongTokenLimit } from "#core/access/wrong-token-limit.ts";
import { AppError } from "#core/app-error.ts";
import type { TokenHeaders } from "#http/token-headers.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { Needs } from "#service/ports.ts";

interface AuthenticateNeeds extends Pick<Needs, "now"> {
  readonly authenticator: Authenticator;
}

interface AuthenticateSettings {
  readonly tokenHeaders: Pick<TokenHeaders, "tokenIn">;
  readonly wrongTokenLimit: number;
}

/** Synchronous when the token is known, otherwise after a lookup in the records. Throws or rejects with the refusal. */
export type Authenticate = (headers: IncomingHttpHeaders, remoteAddress: () => string) => Caller | Promise<Caller>;

/** A right token always passes, whatever others at its address sent. Wrong tokens soon have to wait. */
export function createAuthenticate(needs: AuthenticateNeeds, settings: AuthenticateSettings): Authenticate {
  const limit = createWrongTokenLimit(settings.wrongTokenLimit);

  function refusalOf(error: unknown, remoteAddress: () => string): unknown {
    if (!(error instanceof AppError) || error.code !== "unauthorized") return error;
    const wait = limit.note(remoteAddress(), needs.now());
    if (wait === 0) return error;
    const message = `too many wrong tokens from this address; try again in ${wait} s`;
    return new AppError([{ code: "too_many_wrong_tokens", message }], wait);
  }

  return (headers, remoteAddress) => {
    const text = settings.tokenHeaders.tokenIn(headers);
    // A call without a token is no guess, so it does not count.
    if (text === undefined) return needs.authenticator.authenticate(text);
    try {
      const found = needs.authenticator.authenticate(text);
      if (!(found instanceof Promise)) return found;
      return found.catch((error: unknown) => {
        throw refusalOf(error, remoteAddress);
      });
    } catch (error) {
      throw refusalOf(error, remoteAddress);
    }
  };
}
