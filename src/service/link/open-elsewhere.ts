// Executions that a gateway owns, or may own, and that have not ended.
import type { Execution } from "#core/command/execution.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Needs } from "#service/ports.ts";

export interface OpenElsewhereNeeds extends Pick<Needs, "gateways" | "executions"> {
  readonly dispatcher: Pick<CommandDispatcher, "loseSight">;
}

export const ASKED_AT_ONCE = 100;

/** Page by page. */
export async function* openElsewhere(
  { gateways, executions }: OpenElsewhereNeeds,
  gatewayId: string,
): AsyncIterable<readonly Execution[]> {
  for (const siteId of await gateways.sites(gatewayId)) {
    for (let after = ""; ; ) {
      const open = await executions.ownedElsewhere(siteId, after, ASKED_AT_ONCE);
      if (open.length > 0) yield open;
      after = open.at(-1)?.id ?? after;
      if (open.length < ASKED_AT_ONCE) break;
    }
  }
}

/** The gateway cannot be asked now, so nothing is known of what it runs. `lost`: another node may talk to it from then on. */
export async function loseSightOf(needs: OpenElsewhereNeeds, gatewayId: string, lost: AbortSignal): Promise<void> {
  if (lost.aborted) return;
  for await (const open of openElsewhere(needs, gatewayId)) {
    for (const { id, state } of open) {
      if (lost.aborted) return;
      if (state !== "UNSYNC") await needs.dispatcher.loseSight(id);
    }
  }
}
