import { auditTrail } from "#service/access/audit-trail.ts";
import { currentSession, type ListSessionsNeeds, visibleSession } from "#service/access/list-sessions.ts";
import type { Sessions } from "#service/access/sessions.ts";
import type { Call, Needs } from "#service/ports.ts";

interface EndSessionNeeds extends ListSessionsNeeds, Pick<Needs, "newId"> {
  readonly openSessions: Pick<Sessions, "isCurrent" | "lastUse" | "forget">;
}

/** A call that starts after the answer is refused, and open streams of the session end. */
export async function endSession(needs: EndSessionNeeds, call: Call, sessionId: string): Promise<void> {
  const { token } = await visibleSession(needs, call, sessionId);
  const trail = auditTrail(needs, call, { target: { tokenId: token.id }, details: { session_id: sessionId } });
  await needs.sessions.end(sessionId, trail);
  needs.openSessions.forget([sessionId]);
}

export async function endCurrentSession(needs: EndSessionNeeds, call: Call): Promise<void> {
  const { session } = await currentSession(needs, call);
  await endSession(needs, call, session.id);
}

/** All sessions of the caller's own token. */
export async function endOwnSessions(needs: EndSessionNeeds, call: Call): Promise<void> {
  const { tokenId } = call.caller;
  const trail = auditTrail(needs, call, { target: { tokenId } });
  needs.openSessions.forget(await needs.sessions.endOfToken(tokenId, trail));
}
