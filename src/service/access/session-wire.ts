import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { Session } from "#core/access/session.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { TokenSession } from "#service/access/list-sessions.ts";
import type { SignIn } from "#service/access/sign-in.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const fields = {
  id: id("Session identifier."),
  token_id: Type.String({ description: "The token that signed in." }),
  token_name: Type.String(),
  level: oneOf(ACCESS_LEVELS),
  site_ids: nullable(Type.Array(Type.String(), { description: "The sites it sees; null for all." })),
  created_at: timestamp,
  expires_at: timestamp,
};

export const sessionSchema = described("Session", "A sign-in of the page. It stands for a token.", fields);

export const sessionAnswer = Type.Object({ session: sessionSchema }, { additionalProperties: false });

export const foundSessionAnswer = Type.Object({ session: nullable(sessionSchema) }, { additionalProperties: false });

export const listedSessionSchema = strict("ListedSession", {
  ...fields,
  last_used_at: timestamp,
  from: Type.String({ description: "The address that signed in." }),
  user_agent: Type.String({ description: "What the browser says that it is." }),
  current: Type.Boolean({ description: "Whether it is the session of this call." }),
});

const secret = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }));

export const signInSchema = strict("SignIn", {
  token: secret("An access token."),
  code: secret("The code of a link that Busbar printed. It is valid once and for 10 minutes."),
  replace: Type.Optional(
    Type.Boolean({ description: "The code may end the browser's session of another token. Otherwise that is 409." }),
  ),
});

export const codeSchema = strict("SignInCode", {
  code: Type.String({ description: "For the link /sign-in#code=... of the page." }),
  expires_at: timestamp,
});

export function parseSignIn({ token, code }: Static<typeof signInSchema>): SignIn["by"] {
  if (token !== undefined && code === undefined) return { token };
  if (code !== undefined && token === undefined) return { code };
  throw refuse("invalid_body", "sign in with either token or code", { pointer: "" });
}

export function renderSession(
  session: Session,
  token: Pick<TokenRecord, "name" | "level" | "sites">,
): Static<typeof sessionSchema> {
  return {
    id: session.id,
    token_id: session.tokenId,
    token_name: token.name,
    level: token.level,
    site_ids: token.sites === "all" ? null : [...token.sites],
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
