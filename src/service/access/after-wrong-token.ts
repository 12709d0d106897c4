import type { WrongTokenLimit } from "#core/access/wrong-token-limit.ts";
import { AppError } from "#core/app-error.ts";
import type { Needs } from "#service/ports.ts";

export interface WrongTokenNeeds extends Pick<Needs, "now"> {
  readonly wrongTokens: WrongTokenLimit;
}

/** Counts a wrong token or code. Beyond the limit the refusal asks its sender to wait. */
export function afterWrongToken(needs: WrongTokenNeeds, remoteAddress: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== "unauthorized") return error;
  const wait = needs.wrongTokens.note(remoteAddress, needs.now());
  if (wait === 0) return error;
  const message = `too many wrong tokens or codes from this address; try again in ${wait} s`;
  return new AppError([{ code: "too_many_wrong_tokens", message }], wait);
}
