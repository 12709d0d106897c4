import { preferences } from "#web/data/preferences.svelte.ts";
import { formatNumber, formatTime } from "#web/i18n/format.ts";
import { bandText } from "./band-look.ts";
import type { ChartModel } from "./chart-model.ts";
import { bandAt, type ControlStrip } from "./control-bands.ts";
import { longestStep, stateAt, valueAt } from "./lines.ts";
import { t } from "./messages.ts";
import { stateLooks } from "./state-look.ts";

type Context = {
  readonly zone: string;
  readonly strips?: readonly ControlStrip[];
  /** The name of a device. */
  readonly nameOf?: (device: string) => string;
};

/** The values at a moment in one sentence, for those who cannot see the chart. */
export function describeMoment(
  { series, bucketMs }: ChartModel,
  at: number,
  { zone, strips = [], nameOf = (device) => device }: Context,
): string {
  const { locale, hours } = preferences;
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
  const controlled = strips.flatMap((strip) => {
    const band = bandAt(strip.bands, at);
    return band === undefined ? [] : [`${nameOf(strip.device)} ${strip.control.display_name} ${bandText(band, strip)}`];
  });
  return `${formatTime(at, "seconds", { locale, zone, hours })}: ${[...values, ...controlled].join(", ")}`;
}
