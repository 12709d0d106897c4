import { untrack } from "svelte";
import { listAll } from "#client/list-all.ts";
import type { Site } from "#client/resources.ts";
import { clock } from "./clock.svelte.ts";
import { holdCalls, perform } from "./connection.ts";
import { createKeptSite } from "./kept-site.ts";
import { live } from "./live.svelte.ts";
import { forgetManifests } from "./manifests.ts";
import { painted } from "./painted.ts";
import { session } from "./session.svelte.ts";
import { type Phase, SiteState } from "./site-state.svelte.ts";

let sites = $state.raw<readonly Site[]>([]);
let phase = $state<Phase>("loading");
let error = $state.raw<unknown>();
const states = new Map<string, SiteState>();
/** Which site a device belongs to, for addresses that name only the device. */
const siteOfDevice = new Map<string, string>();
const kept = createKeptSite(typeof localStorage === "undefined" ? undefined : localStorage, import.meta.url);
/** The site that was looked at last. */
let lastId: string | undefined;

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
      for await (const site of listAll("sites", (query) => perform("listSites", { query }))) found.push(site);
      sites = found.sort((a, b) => a.name.localeCompare(b.name));
      phase = "ready";
      error = undefined;
    } catch (caught) {
      error = caught;
      if (phase === "loading") phase = "failed";
    }
  },

  /** Reads the sites again when one of these is not among them: a gateway that has joined brings its own. Not a signal. */
  learn(ids: readonly string[]): void {
    const isKnown = untrack(() => ids.every((id) => sites.some((site) => site.id === id)));
    if (!isKnown) void fleet.loadSites();
  },

  /** The state of a site; the first call begins to read it. */
  site(id: string): SiteState {
    lastId = id;
    const known = states.get(id);
    if (known !== undefined) return known;
    const state = new SiteState(id);
    states.set(id, state);
    void read(state);
    return state;
  },

  /** Shows a site as this browser last knew it, and begins to read it. False when it knows nothing. */
  showKept(id: string): boolean {
    const found = kept.find(id, clock.read());
    if (found === undefined || states.has(id)) return false;
    // On a slow phone the calls of a first screen take as long as a tenth of its drawing.
    holdCalls(painted());
    const state = fleet.site(id);
    state.showKept(found);
    return state.keptAt !== undefined;
  },

  /** What another session saw is not shown to this one. */
  keepFor(sessionId: string): void {
    kept.keepFor(sessionId);
  },

  /** The site of a device, by the device's id or slug. Throws when there is no such device. */
  async siteIdOf(device: string): Promise<string> {
    const known = siteOfDevice.get(device) ?? [...states.values()].find((state) => state.device(device))?.id;
    if (known !== undefined) return known;
    const { device: found } = await perform("getDevice", { params: { device_id: device } });
    siteOfDevice.set(device, found.site_id);
    return found.site_id;
  },

  /** After a sign-out: nothing of the former session stays. */
  forget(): void {
    states.clear();
    siteOfDevice.clear();
    sites = [];
    phase = "loading";
    lastId = undefined;
    forgetManifests();
    kept.forget();
  },
};

async function read(state: SiteState): Promise<void> {
  try {
    await state.load();
    keep(state);
  } catch {
    // The screen of the site shows it.
  }
}

/** For the next visit, and for the same session only. Another window of this browser may have signed out. */
function keep(state: SiteState): void {
  const found = state.id === lastId ? state.keep(clock.read()) : undefined;
  if (found === undefined || session.current === undefined || !session.isLikely) return;
  const { id, level, expires_at } = session.current;
  kept.put({ ...found, session: { id, level, expires_at } });
}

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
  const onHidden = () => {
    const last = lastId === undefined ? undefined : states.get(lastId);
    if (document.hidden && last !== undefined) keep(last);
  };
  document.addEventListener("visibilitychange", onHidden);
  return () => {
    stopEvents();
    stopCatchUp();
    document.removeEventListener("visibilitychange", onHidden);
  };
}
