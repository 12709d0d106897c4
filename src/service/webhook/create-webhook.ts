import { lowestLevel, seesSite } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import { parseHttpAddress } from "#core/net/http-address.ts";
import type { Webhook, WebhookKind } from "#core/webhook/webhook.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Call, Needs } from "#service/ports.ts";
import { secretContext, type WebhookDispatcher } from "./webhook-dispatcher.ts";

export interface WebhookInput {
  readonly url: string;
  /** Undefined: all sites that the caller sees. */
  readonly siteIds: readonly string[] | undefined;
  readonly kinds: readonly WebhookKind[];
}

export interface WebhookNeeds
  extends Pick<Needs, "webhooks" | "audit" | "sender" | "sites" | "seal" | "randomBytes" | "now" | "newId"> {
  readonly webhookDispatcher: Pick<WebhookDispatcher, "refresh" | "wake" | "sendTest">;
}

const SECRET_BYTES = 32;

/**
 * The webhook receives what its creator may see, even after the creator's token has ended. The secret is shown only
 * this once.
 */
export async function createWebhook(
  needs: WebhookNeeds,
  call: Call,
  input: WebhookInput,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const url = checkedUrl(needs, input.url);
  for (const [index, siteId] of (input.siteIds ?? []).entries()) {
    if (!seesSite(call.caller, siteId) || (await needs.sites.find(siteId)) === undefined) {
      throw refuse("not_found", `there is no site ${siteId.slice(0, 80)}`, { pointer: `/site_ids/${index}` });
    }
  }
  const id = needs.newId();
  const secret = `whsec_${Buffer.from(needs.randomBytes(SECRET_BYTES)).toString("base64url")}`;
  const sites = input.siteIds === undefined ? call.caller.sites : new Set(input.siteIds);
  const webhook: Webhook = {
    id,
    url: url.href,
    kinds: [...new Set(input.kinds)],
    sites,
    level: lowestLevel(call.caller, sites),
    createdAt: needs.now(),
    sealedSecret: needs.seal.seal(secret, secretContext(id)),
  };
  const only = sites !== "all" && sites.size === 1 ? [...sites][0] : undefined;
  const trail = auditTrail(needs, call, {
    target: only === undefined ? {} : { siteId: only },
    // Not quoted: the path may hold a secret of the receiver.
    details: { webhook_id: id, origin: url.origin, kinds: webhook.kinds, site_ids: input.siteIds ?? null },
  });
  await needs.webhooks.insert(webhook, trail);
  await needs.webhookDispatcher.refresh();
  return { webhook, secret };
}

function checkedUrl(needs: Pick<Needs, "sender">, text: string): URL {
  const wrong = (problem: string) => refuse("invalid_body", problem, { pointer: "/url" });
  const url = parseHttpAddress(text);
  if (typeof url === "string") throw wrong(`url ${url}`);
  const problem = needs.sender.problemWith(url);
  if (problem !== undefined) {
    throw wrong(`${problem}; the setting webhooks.allow_private allows private ones`);
  }
  return url;
}
