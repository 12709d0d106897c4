// The gateway's side of joining.
import { refuse } from "#core/app-error.ts";
import { CREDENTIAL_CONTEXT } from "#core/link/gateway.ts";
import type { Secret } from "#core/secret.ts";
import type { Site } from "#core/site/site.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import { endOfHistory, type TelemetryLane } from "#service/link/telemetry-lane.ts";
import type { Uplink, UplinkStatus } from "#service/link/uplink.ts";
import type { AskCloud } from "#service/ports/link-socket.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface JoinNeeds extends Pick<Needs, "uplinks" | "sites" | "seal" | "now" | "newId"> {
  readonly uplink: Uplink;
  readonly telemetryLane: Pick<TelemetryLane, "restart">;
  readonly authenticator: Pick<Authenticator, "forgetCloud">;
  readonly askCloud: AskCloud;
  readonly version: string;
}

export async function joinCloud(
  needs: JoinNeeds,
  call: Call,
  { url, code }: { readonly url: string; readonly code: string },
): Promise<UplinkStatus> {
  requireAllSites(call.caller);
  if ((await needs.uplinks.get()) !== undefined) {
    throw refuse("conflict", "this gateway has joined a cloud already; leave that one first");
  }
  const [site] = (await needs.sites.list("all", { limit: 1, offset: 0 })).items;
  const answer = await needs.askCloud(url, { code, name: nameOf(site), version: needs.version });
  const trail = auditTrail(needs, call, { target: {}, details: { url, gateway_id: answer.gatewayId } });
  const credential = needs.seal.seal(answer.credential, CREDENTIAL_CONTEXT);
  const now = needs.now();
  // A former cloud that is just being left has nothing more to say.
  await needs.uplink.stop();
  await needs.uplinks.put(
    {
      url,
      gatewayId: answer.gatewayId,
      credential,
      joinedAt: now,
      historyBefore: endOfHistory(now),
      confirmed: 0,
      cloudEpoch: undefined,
    },
    trail,
  );
  needs.authenticator.forgetCloud();
  await needs.telemetryLane.restart();
  await needs.uplink.restart();
  return await uplinkStatus(needs);
}

/** Joins the cloud of the settings, unless this gateway has joined it before: the code works once. */
export async function joinAsSet(
  needs: JoinNeeds,
  call: Call,
  { url, token }: { readonly url: string | undefined; readonly token: Secret | undefined },
): Promise<void> {
  if (url === undefined || token === undefined) return;
  const joined = await needs.uplinks.get();
  if (joined === undefined) await joinCloud(needs, call, { url, code: token.reveal() });
  else if (joined.url !== url) {
    throw refuse(
      "conflict",
      `this gateway has joined ${joined.url}, not the ${url} of the settings; leave that one first`,
    );
  }
}

/** Refuses with `not_found` when the gateway has joined no cloud. */
export async function uplinkStatus(needs: Pick<JoinNeeds, "uplink">): Promise<UplinkStatus> {
  const status = await needs.uplink.status();
  if (status === undefined) throw refuse("not_found", "this gateway has joined no cloud");
  return status;
}

export async function leaveCloud(needs: JoinNeeds, call: Call): Promise<void> {
  requireAllSites(call.caller);
  const { url, gatewayId } = await uplinkStatus(needs);
  await needs.uplinks.delete(auditTrail(needs, call, { target: {}, details: { url, gateway_id: gatewayId } }));
  needs.authenticator.forgetCloud();
  await needs.uplink.sayLeave();
  await needs.telemetryLane.restart();
  await needs.uplink.restart();
}

function nameOf(site: Site | undefined): string {
  return site?.name ?? "Gateway";
}
