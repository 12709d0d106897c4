import { ACCESS_LEVELS } from "#core/access/level.ts";
import { MAX_PASSWORD_LENGTH } from "#core/access/password.ts";
import type { Session } from "#core/access/session.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import { renderInstant } from "#core/time/instant.ts";
import { MAX_MAIL_LENGTH } from "#service/access/account-wire.ts";
import type { TokenSession } from "#service/access/list-sessions.ts";
import type { SignIn } from "#service/access/sign-in.ts";
import { renderSiteLevels, siteLevels } from "#service/access/site-levels-wire.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const fields = {
  id: id("Session identifier."),
  token_id: Type.String({ description: "The token that signed in." }),
  token_name: Type.String(),
  account_id: nullable(Type.String({ description: "The person who signed in. Null: a token did." })),
  level: oneOf(ACCESS_LEVELS),
  site_ids: nullable(Type.Array(Type.String(), { description: "The sites it sees; null for all." })),
  site_levels: siteLevels,
  created_at: timestamp,
  expires_at: timestamp,
};

export const sessionSchema = described("Session", "A sign-in of the page. It stands for a token.", fields);

export const sessionAnswer = Type.Object({ session: sessionSchema }, { additionalProperties: false });

/** Of the second factor that somebody begins with. */
export const factorOffer = described("SecondFactorOffer", "A secret for an app that makes codes.", {
  secret: Type.String({ description: "In base 32, to be typed into an app. It is shown this once." }),
  uri: Type.String({ description: "The same as a text for a QR code." }),
});

/** Either of the two: a person with a second factor, or who has to have one and gets an enrolment, has no session yet. */
export const signInAnswer = Type.Object(
  {
    session: nullable(sessionSchema),
    second_factor: nullable(
      strict("SecondFactorNeeded", {
        step: Type.String({ description: "For `finishSignIn`. Only the browser of the first step has it." }),
        expires_at: timestamp,
        enrolment: nullable(factorOffer),
      }),
    ),
  },
  { additionalProperties: false },
);

export const foundSessionAnswer = Type.Object({ session: nullable(sessionSchema) }, { additionalProperties: false });

export const listedSessionSchema = strict("ListedSession", {
  ...fields,
  last_used_at: timestamp,
  from: Type.String({ description: "The address that signed in." }),
  user_agent: Type.String({ description: "What the browser says that it is." }),
  current: Type.Boolean({ description: "Whether it is the session of this call." }),
});

/** Longer ones are refused before anything is looked up or hashed. */
const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const secret = (description: string) => text(1_000, description);

export const signInSchema = strict("SignIn", {
  token: secret("An access token."),
  code: secret("The code of a link that Busbar printed. It is valid once and for 10 minutes."),
  mail: text(MAX_MAIL_LENGTH, "The mail address of a person, together with `password`."),
  password: text(MAX_PASSWORD_LENGTH, "The person's password."),
  replace: Type.Optional(
    Type.Boolean({ description: "The code may end the browser's session of another token. Otherwise that is 409." }),
  ),
});

export const codeSchema = strict("SignInCode", {
  code: Type.String({ description: "For the link /sign-in#code=... of the page." }),
  expires_at: timestamp,
});

export const gatewayCodeSchema = strict("GatewaySignInCode", {
  code: Type.String({ description: "For the link /sign-in#code=... of the page of the gateway." }),
  expires_at: timestamp,
  url: Type.Optional(Type.String({ description: "The address of that page, if the settings of the gateway say it." })),
});

export function parseSignIn({ token, code, mail, password }: Static<typeof signInSchema>): SignIn["by"] {
  const given = [token, code, mail ?? password].filter((one) => one !== undefined).length;
  if (given === 1 && token !== undefined) return { token };
  if (given === 1 && code !== undefined) return { code };
  if (given === 1 && mail !== undefined && password !== undefined) return { mail, password };
  throw refuse("invalid_body", "sign in with either token, or code, or mail and password", { pointer: "" });
}

export function renderSession(
  session: Session,
  token: Pick<TokenRecord, "name" | "level" | "sites" | "siteLevels" | "accountId" | "fromCloud">,
): Static<typeof sessionSchema> {
  return {
    id: session.id,
    token_id: session.tokenId,
    token_name: token.name,
    account_id: token.accountId === session.tokenId && token.fromCloud !== true ? session.tokenId : null,
    level: token.level,
    site_ids: token.sites === "all" ? null : [...token.sites],
    site_levels: renderSiteLevels(token),
    created_at: renderInstant(session.createdAt),
    expires_at: renderInstant(session.expiresAt),
  };
}

export function renderListedSession(
  { session, token }: TokenSession,
  currentId: string | undefined,
): Static<typeof listedSessionSchema> {
  return {
    ...renderSession(session, token),
    last_used_at: renderInstant(session.lastUsedAt),
    from: session.remoteAddress,
    user_agent: session.userAgent,
    current: session.id === currentId,
  };
}
