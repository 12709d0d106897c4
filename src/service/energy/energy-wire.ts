import { instant, renderInstant } from "#core/time/instant.ts";
import { appliedCorrectionSchema, renderAppliedCorrection } from "#service/energy/correction-wire.ts";
import type { DeviceEnergy, SiteEnergy } from "#service/energy/read-site-energy.ts";
import { Type } from "#service/operation/schema.ts";
import { described, oneOf } from "#service/operation/wire.ts";

const nullable = (description: string) =>
  Type.Unsafe<number | null>({ anyOf: [{ type: "number" }, { type: "null" }], description });
const closed = { additionalProperties: false };

export const energySchema = Type.Object(
  {
    energy: described("SiteEnergy", "Energies in Wh, powers in W. What is not known is null.", {
      site_id: Type.String(),
      timezone: Type.String(),
      from: Type.String({ description: "RFC 3339" }),
      to: Type.String({ description: "RFC 3339. At most now." }),
      total: Type.Object(
        {
          produced: nullable("Wh"),
          used: nullable("Wh: produced, from the grid and discharged, less to the grid and charged."),
          self_used: nullable("Wh: produced and not given to the grid."),
          from_grid: nullable("Wh"),
          to_grid: nullable("Wh"),
          charged: nullable("Wh into batteries."),
          discharged: nullable("Wh out of batteries."),
          self_consumption: nullable("The part of the production that was used on the site, 0 to 1."),
          self_sufficiency: nullable("The part of the use that did not come from the grid, 0 to 1."),
        },
        closed,
      ),
      peak_from_grid: Type.Unsafe<object | null>({
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

export function renderEnergy(siteId: string, energy: SiteEnergy): object {
  const { timezone, from, to, total, peakFromGrid, devices, now, doubtful, corrections } = energy;
  return {
    energy: {
      site_id: siteId,
      timezone,
      from: renderInstant(from),
      to: renderInstant(to),
      total: {
        produced: shown(total.produced),
        used: shown(total.used),
        self_used: shown(total.selfUsed),
        from_grid: shown(total.fromGrid),
        to_grid: shown(total.toGrid),
        charged: shown(total.charged),
        discharged: shown(total.discharged),
        self_consumption: shown(total.selfConsumption),
        self_sufficiency: shown(total.selfSufficiency),
      },
      peak_from_grid:
        peakFromGrid === undefined ? null : { power: peakFromGrid.power, at: renderInstant(peakFromGrid.at) },
      devices: devices.map(renderDevice),
      now: {
        production: shown(now.production),
        battery: shown(now.battery),
        grid: shown(now.grid),
        load: shown(now.load),
      },
      doubtful: doubtful.steps.map(renderStep),
      doubtful_cut: doubtful.isCut,
      corrections: corrections.map(renderAppliedCorrection),
    },
  };
}

function renderStep({ device, attribute, kind, before, after }: SiteEnergy["doubtful"]["steps"][number]): object {
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

function renderDevice({ device, role, forward, backward, basis, hoursKnown, hours, power }: DeviceEnergy): object {
  return {
    device_id: device.id,
    name: device.name,
    slug: device.slug,
    role,
    energy: shown(forward),
    energy_back: shown(backward),
    basis: basis ?? null,
    hours_known: hoursKnown,
    hours,
    power: shown(power),
  };
}

function shown(value: number | undefined): number | null {
  return value ?? null;
}
