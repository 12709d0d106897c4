// What a card shows of a device: its most important value. Pure.
import { findAttribute } from "#web/data/find-attribute.ts";
import type { Attribute, Manifest } from "#web/data/manifest.ts";
import { type Kind, powerReadings } from "#web/site/power-readings.ts";

export type CardModel = {
  /** The value that says most about the device. */
  readonly main: Attribute | undefined;
  /** A second one beside it. */
  readonly aside: Attribute | undefined;
  readonly kind: Kind | undefined;
};

export const COLOR_OF_KIND: Readonly<Record<Kind | "rest" | "none", string>> = {
  solar: "var(--solar)",
  wind: "var(--hydrogen)",
  generator: "var(--generator)",
  grid: "var(--grid)",
  battery: "var(--battery)",
  hydrogen: "var(--hydrogen)",
  vehicle: "var(--vehicle)",
  load: "var(--load)",
  rest: "var(--load)",
  none: "var(--neutral)",
};

/** Tables ask for it with every value, and many devices share a manifest. */
const models = new WeakMap<Manifest, CardModel>();

export function cardModel({ manifest }: { readonly manifest: Manifest }): CardModel {
  const known = models.get(manifest);
  if (known !== undefined) return known;
  const model = findModel(manifest);
  models.set(manifest, model);
  return model;
}

function findModel(manifest: Manifest): CardModel {
  const [reading] = powerReadings({ id: "", manifest });
  const kind = reading?.kind;
  const power = reading?.attributes.length === 1 ? reading.attributes[0] : undefined;
  const charge = kind === "battery" ? findAttribute(manifest, "battery_soc") : undefined;
  if (charge !== undefined) return { main: charge, aside: power, kind };
  const main = power ?? findAttribute(manifest, "hydrogen_flow") ?? firstNumber(manifest);
  const aside =
    kind === "solar"
      ? findAttribute(manifest, "pv_energy_today")
      : kind === "vehicle"
        ? findAttribute(manifest, "session_energy")
        : kind === "hydrogen"
          ? findAttribute(manifest, "outlet_pressure")
          : undefined;
  return { main, aside: aside === main ? undefined : aside, kind };
}

function firstNumber(manifest: Manifest): Attribute | undefined {
  const numbers = [...manifest.telemetry.values()].filter(
    ({ type, enum: values }) => (type === "float" || type === "integer") && values === undefined,
  );
  return numbers.find(({ unit }) => unit !== undefined) ?? numbers[0];
}
