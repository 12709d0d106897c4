import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "#core/access/caller.ts";
import { createWrongTokenLimit } from "#core/access/wrong-token-limit.ts";
import { AppError } from "#core/app-error.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { Needs } from "#service/ports.ts";

interface AuthenticateNeeds extends Pick<Needs, "now"> {
  readonly authenticator: Authenticator;
}

interface AuthenticateSettings {
  readonly headerPrefixes: readonly string[];
  readonly wrongTokenLimit: number;
}

export type Authenticate = (headers: IncomingHttpHeaders, remoteAddress: string) => Promise<Caller>;

/** A right token passes whatever others at its address sent; wrong ones soon have to wait. */
export function createAuthenticate(needs: AuthenticateNeeds, settings: AuthenticateSettings): Authenticate {
  const names = settings.headerPrefixes.map((prefix) => `${prefix}-Auth-Token`.toLowerCase());
  const limit = createWrongTokenLimit(settings.wrongTokenLimit);
  return async (headers, remoteAddress) => {
    const text = names.map((name) => headers[name]).find((value) => typeof value === "string");
    try {
      return await needs.authenticator.authenticate(text as string | undefined);
    } catch (error) {
      if (text === undefined || !(error instanceof AppError) || error.code !== "unauthorized") throw error;
      const wait = limit.note(remoteAddress, needs.now());
      if (wait === 0) throw error;
      const message = `too many wrong tokens from this address; try again in ${wait} s`;
      throw new AppError([{ code: "too_many_wrong_tokens", message }], wait);
    }
  };
}
