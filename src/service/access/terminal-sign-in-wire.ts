import { ACCESS_LEVELS } from "#core/access/level.ts";
import { MAX_PROGRAM_LENGTH, POLL_INTERVAL_S } from "#core/access/terminal-sign-in.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { BegunSignIn, Granted, Poll, ShownSignIn } from "#service/access/terminal-sign-ins.ts";
import { parseLifetime } from "#service/access/token-wire.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const POLL_STATES = ["PENDING", "SLOW_DOWN", "APPROVED", "DENIED", "EXPIRED"] as const;
const LONGEST_LIFETIME = "366d";
const USUAL_LIFETIME = "30d";

export const newTerminalSignInSchema = strict("NewTerminalSignIn", {
  program: Type.String({
    minLength: 1,
    maxLength: MAX_PROGRAM_LENGTH,
    pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069]+$",
    description:
      "What asks and where it runs, such as `busbar on laptop`. It is shown to the person as what the program says.",
  }),
  level: Type.Optional(oneOf(ACCESS_LEVELS, { description: "The highest level that it wants." })),
});

export const terminalSignInAnswer = strict("TerminalSignIn", {
  device_code: Type.String({ description: "For the program alone. It is shown this once." }),
  user_code: Type.String({ description: "For the person, who types it into the page." }),
  verification_path: Type.String({ description: "The page that takes it, at this server." }),
  expires_at: timestamp,
  interval: Type.Integer({ description: "Seconds to wait between two questions." }),
});

export const takenSchema = strict("TakenTerminalSignIn", {
  device_code: Type.String({ minLength: 1, maxLength: 200 }),
});

export const pollAnswer = strict("TerminalSignInState", {
  state: oneOf(POLL_STATES, { description: "SLOW_DOWN: it was asked too soon; wait 5 s longer from now on." }),
  id: nullable(Type.String({ description: "Of the token." })),
  token: nullable(Type.String({ description: "Only with APPROVED, and this once." })),
});

export const shownAnswer = strict("WaitingTerminal", {
  program: Type.String({ description: "What the program says that it is." }),
  level: nullable(oneOf(ACCESS_LEVELS, { description: "The highest level that it wants; null: none was named." })),
  from: Type.String({ description: "The address from which it asked." }),
  is_same_address: Type.Boolean({ description: "That is the address from which this call came." }),
  created_at: timestamp,
  expires_at: timestamp,
});

export const approvalSchema = strict("TerminalApproval", {
  level: oneOf(ACCESS_LEVELS),
  site_ids: Type.Optional(
    Type.Array(id("Site identifier."), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: "Without it: all sites.",
    }),
  ),
  expires_in: Type.Optional(
    Type.String({
      maxLength: 50,
      description: `How long the token lives, up to ${LONGEST_LIFETIME}; without it ${USUAL_LIFETIME}.`,
    }),
  ),
});

export function renderBegun({ programCode, userCode, expiresAt }: BegunSignIn): Static<typeof terminalSignInAnswer> {
  return {
    device_code: programCode,
    user_code: userCode,
    verification_path: "/terminal",
    expires_at: renderInstant(expiresAt),
    interval: POLL_INTERVAL_S,
  };
}

export function renderPoll(poll: Poll): Static<typeof pollAnswer> {
  const isThere = poll.state === "APPROVED";
  return { state: poll.state, id: isThere ? poll.id : null, token: isThere ? poll.text : null };
}

export function renderShown(shown: ShownSignIn): Static<typeof shownAnswer> {
  return {
    program: shown.program,
    level: shown.askedLevel ?? null,
    from: shown.remoteAddress,
    is_same_address: shown.isSameAddress,
    created_at: renderInstant(shown.createdAt),
    expires_at: renderInstant(shown.expiresAt),
  };
}

export function parseApproval({
  level,
  site_ids,
  expires_in = USUAL_LIFETIME,
}: Static<typeof approvalSchema>): Granted {
  return { level, siteIds: site_ids, lifetimeMs: parseLifetime(expires_in, LONGEST_LIFETIME) };
}
