import { refuse } from "#core/app-error.ts";
import { STEP_UNITS } from "#core/energy/energy-steps.ts";
import { type NamedPeriod, PERIODS, parsePeriod } from "#core/energy/parse-period.ts";
import { energyCsv, energyRows } from "#service/energy/energy-table.ts";
import { energySchema, renderEnergy } from "#service/energy/energy-wire.ts";
import { type EnergyNeeds, readSiteEnergy } from "#service/energy/read-site-energy.ts";
import { RawAnswer } from "#service/operation/answer.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { anyText, choice, dateTime } from "#service/operation/query.ts";
import { contentTypeOf, preferredForm } from "#service/telemetry/timeseries-form.ts";

type Needs = EnergyNeeds & {
  /** Makes a Parquet file. */
  readonly renderParquet: (rows: ReturnType<typeof energyRows>) => Promise<Uint8Array>;
};

/** JSON unless the client names another one. */
function formOf(accept: string | undefined): "json" | "csv" | "parquet" {
  const form = /text\/csv|parquet/i.test(accept ?? "") ? preferredForm(accept) : "json";
  return form === "jsonl" ? "json" : form;
}

export function energyOperations(needs: Needs): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/energy",
      name: "getSiteEnergy",
      summary: "Get the energies of a site",
      description:
        "What was produced, used, taken from the grid and given to it in a period, by device and in total, and the power " +
        "that flows now. Days, weeks, months and years are those of the site's time zone. What is not known is null. The " +
        "steps of a period add up to it, to the last digit. With an Accept of text/csv or application/vnd.apache.parquet, the " +
        "answer is a table of the steps.",
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
        costs: choice("true: adds what the energies cost by the tariff of the site. Null: it has none.", [
          "true",
          "false",
        ]),
      },
      answer: energySchema,
      run: async (call) => {
        const { period, from, to, step, before, costs } = call.query;
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
        const areCostsAsked = costs === "true";
        const form = formOf(call.header("accept"));
        if (form !== "json" && step === undefined) {
          throw refuse("invalid_query", "a table needs step, such as step=day", { parameter: "step" });
        }
        const answer = renderEnergy(
          { siteId: call.params.site_id, areCostsAsked },
          await readSiteEnergy(needs, call, {
            siteId: call.params.site_id,
            period: choose,
            step,
            isBeforeAsked: before === "true",
            areCostsAsked,
          }),
        );
        if (form === "csv") return new RawAnswer(contentTypeOf("csv"), energyCsv(answer));
        if (form === "json") return answer;
        return new RawAnswer(contentTypeOf("parquet"), await needs.renderParquet(energyRows(answer)));
      },
    }),
  ];
}

function namedPeriod(text: string, timezone: string, now: number): NamedPeriod {
  const period = parsePeriod(text, timezone, now);
  if (period === undefined) throw refuse("invalid_query", `period must be ${PERIODS}`, { parameter: "period" });
  return period;
}
