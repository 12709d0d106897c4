import { preferences } from "#web/data/preferences.svelte.ts";
import { formatNumber, formatTime } from "#web/i18n/format.ts";
import type { ChartModel } from "./chart-model.ts";
import { longestStep, stateAt, valueAt } from "./lines.ts";
import { t } from "./messages.ts";
import { stateLooks } from "./state-look.ts";

/** The values at a moment in one sentence, for those who cannot see the chart. */
export function describeMoment({ series, bucketMs }: ChartModel, at: number, zone: string): string {
  const { locale } = preferences;
  const values = series
    .filter(({ info, refusal }) => refusal === undefined && !info.spec.isHidden)
    .map(({ info, amounts, states, symbol }) => {
      const name = info.attribute?.displayName ?? info.spec.attribute;
      const amount = amounts && valueAt(amounts, at, bucketMs);
      const state = states && stateAt(states, at, longestStep(states.times, bucketMs));
      const text =
        amount !== undefined
          ? `${formatNumber(amount, locale)} ${symbol ?? ""}`
          : state !== undefined
            ? stateLooks(info, locale)(state).text
            : t.noValue;
      return `${name} ${text.trim()}`;
    });
  return `${formatTime(at, "seconds", { locale, zone })}: ${values.join(", ")}`;
}
