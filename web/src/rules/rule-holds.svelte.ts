import { heldText } from "#web/control/control-words.ts";
import { sharedControls } from "#web/control/shared-controls.svelte.ts";
import type { SiteState } from "#web/data/site-state.svelte.ts";

/** What a rule claims at the controls of its site now, in words. Call it while a component is made. */
export function ruleHolds(site: SiteState, ruleId: () => string) {
  const controls = sharedControls(site.id);
  $effect(() => controls.watch());
  const texts = $derived(
    controls
      .heldBy(`rule:${ruleId()}`)
      .map((held) => heldText(held, site.device(held.control.device_id)?.name ?? held.control.device_id)),
  );
  return {
    get texts(): readonly string[] {
      return texts;
    },
  };
}
