// The page as people see it: on a phone, a tablet and a desk, in light and dark, in each language.
import { vi } from "vitest";
import { roundsOf } from "../../support/rounds.ts";
import { findViolations } from "./axe.ts";
import { PATIENCE, type Scheme, type Visitor } from "./browse.ts";

export interface Look {
  readonly width: number;
  readonly scheme: Scheme;
  readonly locale: string;
}

const ALL: readonly Look[] = [390, 1024, 1440].flatMap((width) =>
  (["light", "dark"] as const).flatMap((scheme) => ["en-US", "de-DE"].map((locale) => ({ width, scheme, locale }))),
);

/**
 * The long run has all of them. Axe takes a second for each, and screens.test.ts sees every screen on a phone and a desk: each
 * file takes one of two that differ in everything.
 */
const LOOKS = roundsOf("looks of what a file of browser tests shows");
export const ON_PHONE: readonly Look[] = beginningWith({ width: 390, scheme: "light", locale: "de-DE" });
export const ON_TABLET: readonly Look[] = beginningWith({ width: 1024, scheme: "dark", locale: "en-US" });

function beginningWith(look: Look): readonly Look[] {
  const at = ALL.findIndex((one) => JSON.stringify(one) === JSON.stringify(look));
  return [...ALL.slice(at), ...ALL.slice(0, at)].slice(0, LOOKS);
}

/** What fits in German, whose words are longer, fits in English. */
export const LANGUAGES = (["de-DE", "en-GB"] as const).slice(0, roundsOf("languages of a form on a phone"));

/** What is wrong with what is shown, in the look that the visitor has. */
export async function wrongIn({ page, complaints }: Visitor, include?: string): Promise<readonly unknown[]> {
  const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
  const found: unknown[] = [...(await findViolations(page, include === undefined ? {} : { include }))];
  // A chart takes its width a moment later.
  const isFitting = vi.waitUntil(() => page.evaluate<boolean>(fits), { timeout: PATIENCE });
  await isFitting.catch(() => found.push("scrolls sideways"));
  return [...found, ...complaints.splice(0)];
}
