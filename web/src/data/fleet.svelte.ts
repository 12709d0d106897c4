import { listAll } from "#client/list-all.ts";
import type { Site } from "#client/resources/site.ts";
import { client } from "./client.ts";
import { live } from "./live.svelte.ts";
import { forgetManifests } from "./manifests.ts";
import { type Phase, SiteState } from "./site-state.svelte.ts";

let sites = $state.raw<readonly Site[]>([]);
let phase = $state<Phase>("loading");
let error = $state.raw<unknown>();
const states = new Map<string, SiteState>();
/** Which site a device belongs to, for addresses that name only the device. */
const siteOfDevice = new Map<string, string>();

/** The sites that the session sees, and the state of those that were looked at. */
export const fleet = {
  get sites(): readonly Site[] {
    return sites;
  },
  get phase(): Phase {
    return phase;
  },
  get error(): unknown {
    return error;
  },

  async loadSites(): Promise<void> {
    try {
      const found: Site[] = [];
      for await (const site of listAll("sites", client.sites.list)) found.push(site);
      sites = found.sort((a, b) => a.name.localeCompare(b.name));
      phase = "ready";
      error = undefined;
    } catch (caught) {
      error = caught;
      if (phase === "loading") phase = "failed";
    }
  },

  /** The state of a site; the first call begins to read it. */
  site(id: string): SiteState {
    const known = states.get(id);
    if (known !== undefined) return known;
    const state = new SiteState(id);
    states.set(id, state);
    void state.load().catch(() => {});
    return state;
  },

  /** The site of a device, by the device's id or slug. Throws when there is no such device. */
  async siteIdOf(device: string): Promise<string> {
    const known = siteOfDevice.get(device) ?? [...states.values()].find((state) => state.device(device))?.id;
    if (known !== undefined) return known;
    const { device: found } = await client.devices.get(device);
    siteOfDevice.set(device, found.site_id);
    return found.site_id;
  },

  /** After a sign-out: nothing of the former session stays. */
  forget(): void {
    states.clear();
    siteOfDevice.clear();
    sites = [];
    phase = "loading";
    forgetManifests();
  },
};

/** Keeps all read sites true by live events. */
export function followFleet(): () => void {
  const kinds = ["telemetry", "connectivity", "alert", "execution", "device"] as const;
  const stopEvents = live.on(kinds, (event) => states.get(event.site_id)?.apply(event));
  const stopCatchUp = live.onCatchUp((isGap) => {
    if (isGap) void fleet.loadSites();
    for (const state of states.values()) {
      const again = isGap || state.phase !== "ready" ? state.load() : state.readValues();
      void again.catch(() => {});
    }
  });
  return () => {
    stopEvents();
    stopCatchUp();
  };
}
