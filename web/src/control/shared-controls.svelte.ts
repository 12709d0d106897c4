import type { Control } from "#client/resources.ts";
import { live } from "#web/data/live.svelte.ts";
import { claimsBySource, controlKey, type Held } from "./control-view.ts";
import { readControls } from "./site-controls.ts";

/** All controls of a site for the cards of one screen: read once for all of them, and kept true by events. */
class SharedControls {
  readonly #site: string;
  #users = 0;
  #stops: readonly (() => void)[] = [];
  #asked = 0;
  #byDevice: ReadonlyMap<string, readonly Control[]> = $state.raw(new Map());
  #bySource: ReadonlyMap<string, readonly Held[]> = $state.raw(new Map());

  constructor(site: string) {
    this.#site = site;
  }

  of(device: string): readonly Control[] {
    return this.#byDevice.get(device) ?? [];
  }

  /** What a source, such as `rule:ID`, claims. */
  heldBy(source: string): readonly Held[] {
    return this.#bySource.get(source) ?? [];
  }

  /** While somebody watches, the controls are read. Returns how to stop. */
  watch(): () => void {
    this.#users += 1;
    if (this.#users === 1) {
      void this.#read();
      this.#stops = [
        live.onCatchUp(() => void this.#read()),
        live.on(["control"], ({ site_id, control }) => {
          if (site_id === this.#site) this.put(control);
        }),
      ];
    }
    return () => {
      this.#users -= 1;
      if (this.#users === 0) for (const stop of this.#stops) stop();
    };
  }

  put(control: Control): void {
    const others = this.of(control.device_id);
    const key = controlKey(control);
    const next = others.some((one) => controlKey(one) === key)
      ? others.map((one) => (controlKey(one) === key ? control : one))
      : [...others, control];
    this.#keep(new Map(this.#byDevice).set(control.device_id, next));
  }

  /** Derived here: a `$derived` would end with the component that asked first. */
  #keep(byDevice: ReadonlyMap<string, readonly Control[]>): void {
    this.#byDevice = byDevice;
    this.#bySource = claimsBySource([...byDevice.values()].flat());
  }

  /** Cards are still cards without it: they show their values, and the next connection asks again. */
  async #read(): Promise<void> {
    this.#asked += 1;
    const mine = this.#asked;
    const found = await readControls(this.#site, { isAll: true }).catch(() => undefined);
    if (found !== undefined && mine === this.#asked) this.#keep(Map.groupBy(found, ({ device_id }) => device_id));
  }
}

const shared = new Map<string, SharedControls>();

export function sharedControls(site: string): SharedControls {
  const found = shared.get(site) ?? new SharedControls(site);
  shared.set(site, found);
  return found;
}
