import { MAX_SIGN_IN_ATTEMPTS } from "#core/access/attempt-limit.ts";
import { ANONYMOUS_REFUSAL_LIFETIME_MS, KEPT_REFUSALS } from "#core/access/refusal-limits.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { ago, MINUTE, SECOND, untilDone } from "#role/chore-times.ts";
import { pageAddressOf } from "#role/page-address.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { accountOperations } from "#service/access/account-operations.ts";
import { auditOperations } from "#service/access/audit-operations.ts";
import { gatewaySignInOperations } from "#service/access/gateway-sign-in-operations.ts";
import { invitationOperations } from "#service/access/invitation-operations.ts";
import { ownAccountOperations } from "#service/access/own-account-operations.ts";
import { ownTokenOperations } from "#service/access/own-token-operations.ts";
import { passkeyOperations } from "#service/access/passkey-operations.ts";
import { providerLinkOperations } from "#service/access/provider-link-operations.ts";
import { providerLogoutOperation } from "#service/access/provider-logout-operation.ts";
import { providerSignInOperations } from "#service/access/provider-sign-in-operations.ts";
import { secondFactorOperations } from "#service/access/second-factor-operations.ts";
import { sessionOperations } from "#service/access/session-operations.ts";
import { terminalSignInOperations } from "#service/access/terminal-sign-in-operations.ts";
import { tokenOperations } from "#service/access/token-operations.ts";

export function access(parts: Parts): Subject {
  const { attempts, audit, authenticator, clock, config, liveSettings, openSessions, refusals, sessions } = parts;
  return {
    operations: [
      ...tokenOperations(parts),
      ...accountOperations(parts),
      ...ownAccountOperations(parts),
      ...invitationOperations(parts),
      ...sessionOperations(parts),
      ...gatewaySignInOperations({ ...parts, pageAddress: () => pageAddressOf(parts) }),
      ...secondFactorOperations(parts),
      ...passkeyOperations(parts),
      ...terminalSignInOperations(parts),
      ...providerSignInOperations(parts),
      providerLogoutOperation(parts),
      ...providerLinkOperations(parts),
      ...ownTokenOperations(parts),
      ...auditOperations(parts),
    ],
    chores: [
      { name: "note refused calls", everyMs: SECOND, task: () => refusals.flush() },
      { name: "note token uses", everyMs: 15 * SECOND, task: () => authenticator.flushUses() },
      { name: "note session uses", everyMs: 15 * SECOND, task: () => openSessions.flushUses() },
      {
        name: "prune ended sessions",
        isShared: true,
        everyMs: 10 * MINUTE,
        task: () =>
          untilDone(() =>
            sessions.prune({
              expiredAt: clock.earliest(),
              idleSince: ago(clock, toMilliseconds(config.sessions.idle)),
            }),
          ),
      },
      {
        name: "prune attempts to sign in",
        isShared: true,
        everyMs: MINUTE,
        task: () => untilDone(() => attempts.prune({ now: clock.earliest(), most: MAX_SIGN_IN_ATTEMPTS })),
      },
      {
        name: "prune audit log",
        isShared: true,
        everyMs: 10 * MINUTE,
        task: () =>
          untilDone(() =>
            audit.prune({
              before: ago(clock, toMilliseconds(liveSettings.config().audit.retention)),
              anonymousBefore: ago(clock, ANONYMOUS_REFUSAL_LIFETIME_MS),
              maxAnonymous: KEPT_REFUSALS.anonymous,
              maxRefused: KEPT_REFUSALS.token,
            }),
          ),
      },
    ],
  };
}
