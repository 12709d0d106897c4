import type { Answers, GatewayChange } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { session } from "#web/data/session.svelte.ts";
import { toasts } from "#web/parts/toasts.svelte.ts";
import { href } from "#web/router/paths.ts";
import { t } from "./messages.ts";

let count = $state(0);

/** How many changes this page has left waiting. Whoever lists them reads it, and reads the list again when it grows. */
export const leftWaiting = {
  get count(): number {
    return count;
  },
};

/** Says that a change was made, or that it waits for a gateway that is away. Returns the change that waits. */
export async function showOutcome(
  { pending_change: change }: Pick<Answers["updateDevice"], "pending_change">,
  made: string | undefined,
): Promise<GatewayChange | undefined> {
  if (change !== undefined) {
    count += 1;
    const query = change.device_id === null ? { site: change.site_id } : { device: change.device_id };
    toasts.add("info", t.waitsFor(await gatewayName(change.gateway_id)), {
      href: href("changes", {}, query),
      text: t.where,
    });
  } else if (made !== undefined) toasts.add("ok", made);
  return change;
}

/** Undefined where the session may not read gateways. */
export async function gatewayName(id: string): Promise<string | undefined> {
  if (!session.allowsEverywhere("installer")) return undefined;
  try {
    return (await client.gateways.get(id)).name;
  } catch {
    return undefined;
  }
}
