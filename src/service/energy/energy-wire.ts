import type { EnergyCosts } from "#core/energy/energy-costs.ts";
import { MILLION } from "#core/energy/money.ts";
import { nameOfPeriod } from "#core/energy/parse-period.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { appliedCorrectionSchema, renderAppliedCorrection } from "#service/energy/correction-wire.ts";
import type { PeriodCosts } from "#service/energy/read-costs.ts";
import type { DeviceEnergy, EnergyStep, EnergySums, SiteEnergy } from "#service/energy/read-site-energy.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, oneOf, nullable as orNull } from "#service/operation/wire.ts";

const nullable = (description: string) =>
  Type.Unsafe<number | null>({ anyOf: [{ type: "number" }, { type: "null" }], description });
const closed = { additionalProperties: false };
const time = Type.String({ description: "RFC 3339" });

const totalSchema = described("EnergyTotal", "Energies of a span of time.", {
  produced: nullable("Wh"),
  used: nullable("Wh: produced, from the grid and discharged, less to the grid and charged."),
  self_used: nullable("Wh: produced and not given to the grid."),
  from_grid: nullable("Wh"),
  to_grid: nullable("Wh"),
  charged: nullable("Wh into batteries."),
  discharged: nullable("Wh out of batteries."),
  self_consumption: nullable("The part of the production that was used on the site, 0 to 1."),
  self_sufficiency: nullable("The part of the use that did not come from the grid, 0 to 1."),
});

/** What a stacked bar shows: what came in, and where it went. */
const groupFields = {
  solar: nullable("Wh"),
  production: nullable("Wh of all other producers: wind, generators, fuel cells."),
  from_grid: nullable("Wh"),
  to_grid: nullable("Wh"),
  charged: nullable("Wh into batteries."),
  discharged: nullable("Wh out of batteries."),
  car: nullable("Wh: electric vehicles."),
  hydrogen: nullable("Wh: electrolysers."),
  load: nullable("Wh: other measured loads."),
  rest: nullable("Wh: used, less all measured loads."),
  used: nullable("Wh: produced, from the grid and discharged, less to the grid and charged."),
};
const groupsSchema = described("EnergyGroups", "The same energies by kind of device.", groupFields);

const money = (description: string) => nullable(`${description} In the currency, to a millionth.`);
const unpriced = Type.Object(
  {
    import: Type.Number({ description: "Wh from the grid without a price." }),
    export: Type.Number({ description: "Wh to the grid without a price." }),
    co2: Type.Number({ description: "Wh from the grid without a factor of CO2." }),
  },
  { ...closed, description: "Energy that the costs leave out." },
);
const costFields = {
  import: money("Paid for energy from the grid. Null: no energy is known, or none of it has a price."),
  export: money("Earned by energy to the grid."),
  co2: nullable("Grams of CO2 of the energy from the grid."),
  unpriced_energy: unpriced,
};

const stepCostsSchema = described("EnergyStepCosts", "Money of a step, without base and peak charges.", {
  ...costFields,
  net: money("Import less export, as far as they have a price."),
});

const costsSchema = described("EnergyCosts", "Money of a period. Positive is paid, and what is earned is export.", {
  currency: Type.String({ description: "ISO 4217" }),
  ...costFields,
  net_energy: money("Import less export: the sum of the steps."),
  base: money("Base charges of the days that begin in the period. Null: a day has no tariff."),
  peak: money(
    "Peak charges of the months or years that the period contains, as far as they have passed. Null: it contains none.",
  ),
  net: money("Energy, base and peak charges together, as far as they are known."),
  by_rate: Type.Array(
    Type.Object(
      {
        kind: oneOf(["import", "export"]),
        name: Type.String(),
        energy: Type.Number({ description: "Wh" }),
        amount: Type.Number(),
      },
      closed,
    ),
  ),
  peaks: Type.Array(
    Type.Object(
      {
        from: time,
        to: time,
        power: nullable("W: the highest mean of a quarter of an hour. Null: not known."),
        at: Type.Unsafe<string | null>({ anyOf: [{ type: "string" }, { type: "null" }] }),
        amount: money("Its charge."),
      },
      closed,
    ),
  ),
});

const stepSchema = described("EnergyStep", "Energies of one step of a period.", {
  from: time,
  to: Type.String({ description: "RFC 3339. At most now." }),
  ...groupFields,
  self_consumption: nullable("The part of the production that was used on the site, 0 to 1."),
  self_sufficiency: nullable("The part of the use that did not come from the grid, 0 to 1."),
  hours_known: Type.Number({ description: "Hours in which every device has a value." }),
  hours: Type.Number({ description: "Hours that the step touches so far." }),
  is_complete: Type.Boolean({ description: "Whether it is over, and every device has a value in each of its hours." }),
  doubtful: Type.Number({ description: "Doubtful steps of counters in it." }),
  costs: Type.Optional(stepCostsSchema),
});

const periodSchema = described("EnergyPeriod", "The whole period, also what of it is to come.", {
  kind: oneOf(["day", "week", "month", "year", "range"]),
  name: Type.Unsafe<string | null>({
    anyOf: [{ type: "string" }, { type: "null" }],
    description: "2026-11-15, 2026-W47, 2026-11 or 2026. Null for a range.",
  }),
  from: time,
  to: time,
  is_running: Type.Boolean(),
});

const beforeSchema = described("EnergyBefore", "The period before, of the same kind.", {
  from: time,
  to: time,
  is_cut: Type.Boolean({
    description: "The period is still running, so the one before ends where as much of it had passed by the clock.",
  }),
  total: totalSchema,
  groups: groupsSchema,
  costs: Type.Optional(costsSchema),
});

export const energySchema = Type.Object(
  {
    energy: described("SiteEnergy", "Energies in Wh, powers in W. What is not known is null.", {
      site_id: Type.String(),
      timezone: Type.String(),
      from: Type.String({ description: "RFC 3339" }),
      to: Type.String({ description: "RFC 3339. At most now." }),
      period: periodSchema,
      total: totalSchema,
      groups: groupsSchema,
      costs: Type.Optional(orNull(costsSchema)),
      steps: Type.Optional(Type.Array(stepSchema)),
      before: Type.Optional(beforeSchema),
      peak_from_grid: Type.Unsafe<{ readonly power: number; readonly at: string } | null>({
        anyOf: [
          {
            type: "object",
            properties: { power: { type: "number" }, at: { type: "string" } },
            required: ["power", "at"],
            additionalProperties: false,
          },
          { type: "null" },
        ],
        description: "The quarter of an hour with the highest mean power from the grid, in W, and its start.",
      }),
      devices: Type.Array(
        Type.Object(
          {
            device_id: Type.String(),
            name: Type.String(),
            slug: Type.String(),
            role: oneOf(["production", "battery", "grid", "load"]),
            energy: nullable("Wh produced, used, taken from the grid, or discharged."),
            energy_back: nullable("Wh given to the grid or charged."),
            basis: Type.Unsafe<string | null>({
              anyOf: [{ type: "string", enum: ["counter", "power"] }, { type: "null" }],
              description: "Whether a counter rose, or power was summed over time.",
            }),
            hours_known: Type.Number({ description: "Hours of the period that have any value." }),
            hours: Type.Number({ description: "Hours of the period so far." }),
            power: nullable("W now. Null if the latest value is older than 5 minutes."),
          },
          closed,
        ),
      ),
      now: Type.Object(
        {
          production: nullable("W"),
          battery: nullable("W, positive while it discharges."),
          grid: nullable("W, positive while the site takes from the grid."),
          load: nullable("W: production, grid and battery together."),
        },
        closed,
      ),
      doubtful: Type.Array(
        Type.Object(
          {
            device_id: Type.String(),
            slug: Type.String(),
            attribute: Type.String(),
            kind: oneOf(["fall", "rise"]),
            before: Type.Number({ description: "The value before the step, as it was sent." }),
            before_at: Type.String({ description: "RFC 3339" }),
            value: Type.Number({ description: "The value after the step." }),
            at: Type.String({ description: "RFC 3339" }),
          },
          closed,
        ),
        {
          description:
            "Steps of counters that a person should look at, at most 100. They do not change the figures. Those that " +
            "somebody has corrected are left out.",
        },
      ),
      doubtful_cut: Type.Boolean({ description: "Whether there may be more of them." }),
      corrections: Type.Array(appliedCorrectionSchema, {
        description: "What people said about steps of the period. The figures have these adjustments.",
      }),
    }),
  },
  closed,
);

export type EnergyAnswer = Static<typeof energySchema>;

export function renderEnergy(
  { siteId, areCostsAsked }: { readonly siteId: string; readonly areCostsAsked: boolean },
  energy: SiteEnergy,
): EnergyAnswer {
  const { timezone, period, from, to, total, groups, steps, before, devices, now, doubtful, corrections } = energy;
  const { peakFromGrid, costs } = energy;
  return {
    energy: {
      site_id: siteId,
      timezone,
      from: renderInstant(from),
      to: renderInstant(to),
      period: {
        kind: period.kind,
        name: nameOfPeriod(period, timezone) ?? null,
        from: renderInstant(period.from),
        to: renderInstant(period.to),
        is_running: energy.isRunning,
      },
      total: renderTotal(total),
      groups: renderGroups({ total, groups }),
      ...(areCostsAsked && { costs: costs === undefined ? null : renderCosts(costs) }),
      ...(steps !== undefined && { steps: steps.map(renderStep) }),
      ...(before !== undefined && {
        before: {
          from: renderInstant(before.from),
          to: renderInstant(before.to),
          is_cut: before.isCut,
          total: renderTotal(before.total),
          groups: renderGroups(before),
          ...(before.costs !== undefined && { costs: renderCosts(before.costs) }),
        },
      }),
      peak_from_grid:
        peakFromGrid === undefined ? null : { power: peakFromGrid.power, at: renderInstant(peakFromGrid.at) },
      devices: devices.map(renderDevice),
      now: {
        production: shown(now.production),
        battery: shown(now.battery),
        grid: shown(now.grid),
        load: shown(now.load),
      },
      doubtful: doubtful.steps.map(renderDoubtful),
      doubtful_cut: doubtful.isCut,
      corrections: corrections.map(renderAppliedCorrection),
    },
  };
}

function renderTotal(total: EnergySums["total"]): Static<typeof totalSchema> {
  return {
    produced: wattHours(total.produced),
    used: wattHours(total.used),
    self_used: wattHours(total.selfUsed),
    from_grid: wattHours(total.fromGrid),
    to_grid: wattHours(total.toGrid),
    charged: wattHours(total.charged),
    discharged: wattHours(total.discharged),
    self_consumption: shown(total.selfConsumption),
    self_sufficiency: shown(total.selfSufficiency),
  };
}

function renderGroups({ total, groups }: EnergySums): Static<typeof groupsSchema> {
  return {
    solar: wattHours(groups.solar),
    production: wattHours(groups.production),
    from_grid: wattHours(total.fromGrid),
    to_grid: wattHours(total.toGrid),
    charged: wattHours(total.charged),
    discharged: wattHours(total.discharged),
    car: wattHours(groups.car),
    hydrogen: wattHours(groups.hydrogen),
    load: wattHours(groups.load),
    rest: wattHours(groups.rest),
    used: wattHours(total.used),
  };
}

function renderStep(step: EnergyStep): Static<typeof stepSchema> {
  return {
    from: renderInstant(step.from),
    to: renderInstant(step.to),
    ...renderGroups(step),
    self_consumption: shown(step.total.selfConsumption),
    self_sufficiency: shown(step.total.selfSufficiency),
    hours_known: step.hoursKnown,
    hours: step.hours,
    is_complete: step.isComplete,
    doubtful: step.doubtful,
    ...(step.costs !== undefined && {
      costs: { ...renderEnergyCosts(step.costs), net: inCurrency(step.costs.net) },
    }),
  };
}

function renderEnergyCosts(costs: Omit<EnergyCosts, "net">) {
  const { import: paid, export: earned, co2, unpriced } = costs;
  return {
    import: inCurrency(paid),
    export: inCurrency(earned),
    co2: inCurrency(co2),
    unpriced_energy: {
      import: unpriced.import / 1_000,
      export: unpriced.export / 1_000,
      co2: unpriced.co2 / 1_000,
    },
  };
}

function renderCosts(costs: PeriodCosts): Static<typeof costsSchema> {
  return {
    currency: costs.currency,
    ...renderEnergyCosts(costs),
    net_energy: inCurrency(costs.netEnergy),
    base: inCurrency(costs.base),
    peak: inCurrency(costs.peak),
    net: inCurrency(costs.net),
    by_rate: costs.byRate.map(({ kind, name, energy, amount }) => ({
      kind,
      name,
      energy: energy / 1_000,
      amount: amount / MILLION,
    })),
    peaks: costs.peaks.map(({ from, to, power, at, amount }) => ({
      from: renderInstant(from),
      to: renderInstant(to),
      power: shown(power),
      at: at === undefined ? null : renderInstant(at),
      amount: inCurrency(amount),
    })),
  };
}

function inCurrency(amount: number | undefined): number | null {
  return amount === undefined ? null : amount / MILLION;
}

function renderDoubtful({ device, attribute, kind, before, after }: SiteEnergy["doubtful"]["steps"][number]) {
  return {
    device_id: device.id,
    slug: device.slug,
    attribute,
    kind,
    before: before.value,
    before_at: renderInstant(instant(before.at)),
    value: after.value,
    at: renderInstant(instant(after.at)),
  };
}

function renderDevice({ device, role, forward, backward, basis, hoursKnown, hours, power }: DeviceEnergy) {
  return {
    device_id: device.id,
    name: device.name,
    slug: device.slug,
    role,
    energy: wattHours(forward),
    energy_back: wattHours(backward),
    basis: basis ?? null,
    hours_known: hoursKnown,
    hours,
    power: shown(power),
  };
}

function wattHours(milliwattHours: number | undefined): number | null {
  return milliwattHours === undefined ? null : milliwattHours / 1_000;
}

function shown(value: number | undefined): number | null {
  return value ?? null;
}
