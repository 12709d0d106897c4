import { preferences } from "./preferences.svelte.ts";

let skew = 0;
let now = $state(Date.now());
let siteZone = $state("UTC");

/** The server's time, as far as its answers show it, and the time zone that is shown. Ticks once a second while the page is seen. */
export const clock = {
  get now(): number {
    return now;
  },
  /** Not a signal: for one-off questions. */
  read: (): number => Date.now() + skew,
  get zone(): string {
    return preferences.clock === "utc" ? "UTC" : siteZone;
  },
  /** That of the site which is shown. */
  setSiteZone(zone: string): void {
    siteZone = zone;
  },
  /** From the header `Date`, which counts whole seconds: smaller differences are no difference. */
  learn(serverTime: number): void {
    if (!Number.isFinite(serverTime)) return;
    const difference = serverTime + 500 - Date.now();
    if (Math.abs(difference - skew) > 2_000) skew = Math.abs(difference) > 2_000 ? difference : 0;
  },
};

export function startClock(): () => void {
  const tick = () => {
    if (!document.hidden) now = Date.now() + skew;
  };
  const timer = setInterval(tick, 1_000);
  document.addEventListener("visibilitychange", tick);
  tick();
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tick);
  };
}
