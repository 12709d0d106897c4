// Who may come in: the admin token, tokens, sessions, and those who were refused.
import { createWrongTokenLimit } from "#core/access/wrong-token-limit.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { prepareAdminToken } from "#role/admin-token.ts";
import type { Foundation } from "#role/foundation.ts";
import { openIdentityProvider } from "#role/open-identity-provider.ts";
import { deriveKey } from "#role/seal-key.ts";
import { createAttemptLimits, createWrongCodeLimit } from "#service/access/attempt-limits.ts";
import { createAuthenticator } from "#service/access/authenticator.ts";
import { createPasswordCheck } from "#service/access/check-password.ts";
import { createSecondFactorCheck } from "#service/access/check-second-factor.ts";
import { createPasswords } from "#service/access/passwords.ts";
import { createRefusalLog } from "#service/access/refusal-log.ts";
import { createSessionCookie } from "#service/access/session-cookie.ts";
import { createSessions } from "#service/access/sessions.ts";
import { createSignInCodes } from "#service/access/sign-in-codes.ts";
import { createSignInPlaces } from "#service/access/sign-in-places.ts";
import { createTerminalSignIns } from "#service/access/terminal-sign-ins.ts";
import { createOfflineAccess } from "#service/link/offline-access.ts";

export async function openAccess(foundation: Foundation) {
  const { config, opened, log, attempt, installation, background, sealKey } = foundation;
  const { offlineAccess: offlineFor } = config.link;
  const offlineAccess = createOfflineAccess(foundation, offlineFor === "off" ? 0 : toMilliseconds(offlineFor));
  await attempt("link", "when the cloud was last connected could not be read", () => offlineAccess.load());
  const admin = await prepareAdminToken(foundation, config.data, config.admin.token);
  // From here on the folder is an installation. On a full disk it is noted at a later start.
  await attempt("installation", "installation.json cannot be written", async () => installation.complete());
  const authenticator = createAuthenticator(foundation, admin.record, offlineAccess.isOpen);
  opened.defer(() =>
    authenticator.flushUses().catch((error: unknown) => log.warn({ err: error }, "the last uses of tokens are lost")),
  );
  const openSessions = createSessions({ ...foundation, authenticator }, toMilliseconds(config.sessions.idle));
  opened.defer(() =>
    openSessions.flushUses().catch((error: unknown) => log.warn({ err: error }, "the last uses of sessions are lost")),
  );
  const refusals = createRefusalLog(foundation);
  opened.defer(() =>
    refusals
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, "the last refused calls are not in the audit log")),
  );
  opened.defer(() => background.idle());
  const passwords = createPasswords(foundation);
  const attemptLimits = createAttemptLimits(foundation);
  const { wrongTokenLimit } = config.http;
  const cookieMark = Buffer.from(deriveKey(sealKey, "name of the cookie", 4)).toString("hex");
  return {
    admin,
    offlineAccess,
    takesTokens: offlineFor !== "off",
    authenticator,
    openSessions,
    refusals,
    passwords,
    attemptLimits,
    checkPassword: createPasswordCheck({ ...foundation, passwords, attemptLimits }, wrongTokenLimit),
    checkSecondFactor: createSecondFactorCheck({ ...foundation, attemptLimits }),
    afterWrongCode: createWrongCodeLimit(attemptLimits, wrongTokenLimit),
    signInCodes: createSignInCodes(foundation),
    signInPlaces: createSignInPlaces(foundation),
    secondFactorFrom: config.sessions.secondFactor === "off" ? undefined : config.sessions.secondFactor,
    sessionLifetimeMs: toMilliseconds(config.sessions.lifetime),
    sessionCookie: createSessionCookie(cookieMark),
    signInProvider: await openIdentityProvider(config, foundation.now),
    providerCookie: createSessionCookie(`${cookieMark}-provider`),
    wrongTokens: createWrongTokenLimit(wrongTokenLimit),
    terminals: createTerminalSignIns({ ...foundation, authenticator, attemptLimits }, wrongTokenLimit),
  };
}
