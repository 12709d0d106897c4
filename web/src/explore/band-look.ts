// Who controlled something, in words and colours. Colour is never alone: each band says its class.
import { classWord, exactText, whoText } from "#web/control/control-words.ts";
import { t as words } from "#web/control/messages.ts";
import type { ControlBand, ControlStrip } from "./control-bands.ts";
import type { StateLook } from "./state-look.ts";

const COLORS: Readonly<Record<NonNullable<ControlBand["class"]>, string>> = {
  interlock: "--enum-red-light",
  grid: "--enum-orange-light",
  person: "--enum-blue-light",
  rule: "--enum-green-light",
  plan: "--enum-cyan-light",
  default: "--line",
};

export const bandWho = (band: ControlBand): string =>
  band.class === null ? words.limits : whoText({ ...band, class: band.class });

export const bandValue = ({ value }: ControlBand, { control }: ControlStrip): string => exactText(value, control);

/** All of it in one sentence. */
export function bandText(band: ControlBand, strip: ControlStrip): string {
  const parts = [`${bandWho(band)}, ${bandValue(band, strip)}`];
  if (band.reason !== "") parts.push(words.quoted(band.reason));
  if (band.isIgnored) parts.push(words.not_followed);
  return parts.join(", ");
}

export function bandLook(band: ControlBand, strip: ControlStrip): StateLook {
  const kind = band.class === null ? words.limits : classWord(band.class);
  const background = band.class === null ? "--enum-yellow-light" : COLORS[band.class];
  return {
    text: `${kind} · ${bandValue(band, strip)}`,
    background,
    ink: background === "--line" ? "--text" : "--enum-ink-dark",
  };
}
