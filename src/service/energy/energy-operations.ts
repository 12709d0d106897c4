import { refuse } from "#core/app-error.ts";
import { STEP_UNITS } from "#core/energy/energy-steps.ts";
import { type NamedPeriod, PERIODS, parsePeriod } from "#core/energy/parse-period.ts";
import { energySchema, renderEnergy } from "#service/energy/energy-wire.ts";
import { type EnergyNeeds, readSiteEnergy } from "#service/energy/read-site-energy.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { anyText, choice, dateTime } from "#service/operation/query.ts";

export function energyOperations(needs: EnergyNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/energy",
      name: "getSiteEnergy",
      summary: "Get the energies of a site",
      description:
        "What was produced, used, taken from the grid and given to it in a period, by device and in total, and the power " +
        "that flows now. Days, weeks, months and years are those of the site's time zone. What is not known is null. The " +
        "steps of a period add up to it, to the last digit.",
      tag: "Telemetry",
      level: "readonly",
      query: {
        period: anyText(`One of: ${PERIODS}. Default today.`),
        from: dateTime("Start of the period, instead of a name for it."),
        to: dateTime("End of the period, not included. Default now."),
        step: choice("Adds the energies of each step of the period. At most 800 steps.", STEP_UNITS),
        before: choice(
          "true: adds the period before, of the same kind. For a period that is still running it is cut at the same point.",
          ["true", "false"],
        ),
      },
      answer: energySchema,
      run: async (call) => {
        const { period, from, to, step, before } = call.query;
        const choose = (timezone: string, now: number): NamedPeriod => {
          if (from === undefined && to === undefined) return namedPeriod(period ?? "today", timezone, now);
          if (period !== undefined) {
            throw refuse("invalid_query", "give either period, or from and to", { parameter: "period" });
          }
          const range = { from, to: to ?? now };
          if (range.from === undefined || range.from >= range.to) {
            throw refuse("invalid_query", "from must be given, and be before to", { parameter: "from" });
          }
          return { kind: "range", ...range } as NamedPeriod;
        };
        return renderEnergy(
          call.params.site_id,
          await readSiteEnergy(needs, call, {
            siteId: call.params.site_id,
            period: choose,
            step,
            isBeforeAsked: before === "true",
          }),
        );
      },
    }),
  ];
}

function namedPeriod(text: string, timezone: string, now: number): NamedPeriod {
  const period = parsePeriod(text, timezone, now);
  if (period === undefined) throw refuse("invalid_query", `period must be ${PERIODS}`, { parameter: "period" });
  return period;
}
