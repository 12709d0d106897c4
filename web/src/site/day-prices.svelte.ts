import { perform } from "#web/data/connection.ts";
import { live } from "#web/data/live.svelte.ts";
import type { StoredPrices } from "./price-steps.ts";

type Range = { readonly from: number; readonly to: number };
type PriceModule = typeof import("./price-steps.ts");
type Tariff = NonNullable<ReturnType<PriceModule["readTariff"]>>;
type Found = { readonly module: PriceModule; readonly tariff: Tariff; readonly stored: StoredPrices };

/** Somebody may have set another tariff, and prices of the next hours come during the day. */
const AGAIN_AFTER = 900_000;

/** The prices of a site over a range, if it has a tariff. Without one, nothing about prices is loaded. Call it while a component is made. */
export function dayPrices(siteId: () => string, zone: () => string, range: () => Range) {
  let found = $state.raw<Found | undefined>();
  let round = $state(0);

  $effect(() => {
    const again = () => {
      round += 1;
    };
    const timer = setInterval(() => !document.hidden && again(), AGAIN_AFTER);
    const stop = live.onCatchUp(again);
    return () => {
      clearInterval(timer);
      stop();
    };
  });

  /** Another range that begins in the same hour needs no other prices. */
  const hour = $derived(Math.floor(range().from / 3_600_000) * 3_600_000);
  $effect(() => {
    void round;
    const [site, from] = [siteId(), hour];
    let isOld = false;
    /** They are an addition: without them the chart is still a chart. */
    read(site, from).then(
      (result) => {
        if (!isOld) found = result;
      },
      () => {},
    );
    return () => {
      isOld = true;
    };
  });

  const current = $derived.by(() => {
    if (found === undefined) return undefined;
    const { module, tariff, stored } = found;
    const steps = module.priceSteps(tariff, { zone: zone(), range: range(), stored });
    const directions = (["import", "export"] as const).flatMap((of) =>
      steps[of].length > 0 ? [{ of, steps: steps[of] }] : [],
    );
    return { currency: tariff.currency, directions, priceOf: module.priceOf, meanPrice: module.meanPrice };
  });
  return {
    get current() {
      return current;
    },
  };
}

async function read(site: string, from: number): Promise<Found | undefined> {
  const { tariff: document } = await perform("getTariff", { params: { site_id: site } });
  if (document === null) return undefined;
  const module = await import("./price-steps.ts");
  const tariff = module.readTariff(document);
  if (tariff === undefined) return undefined;
  const stored: { import: StoredPrices["import"]; export: StoredPrices["export"] } = { import: [], export: [] };
  for (const kind of module.storedDirections(tariff)) {
    const query = { from: new Date(from).toISOString() };
    stored[kind] = (await perform("getPrices", { params: { site_id: site, kind }, query })).prices.prices;
  }
  return { module, tariff, stored };
}
