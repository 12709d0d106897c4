// The page as people see it: on a phone, a tablet and a desk, in light and dark, in each language.
import { vi } from "vitest";
import { IS_LONG } from "../../support/rounds.ts";
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

const PHONE: Look = { width: 390, scheme: "light", locale: "de-DE" };
const TABLET: Look = { width: 1024, scheme: "dark", locale: "en-US" };

/**
 * Two looks differ in everything, and the long run has all combinations. Axe takes a second for each, and screens.test.ts sees
 * every screen on a phone and a desk: most files take one of the two.
 */
export const LOOKS: readonly Look[] = IS_LONG ? ALL : [PHONE, TABLET];
export const ON_PHONE: readonly Look[] = IS_LONG ? ALL : [PHONE];
export const ON_TABLET: readonly Look[] = IS_LONG ? ALL : [TABLET];

/** What is wrong with what is shown, in the look that the visitor has. */
export async function wrongIn({ page, complaints }: Visitor, include?: string): Promise<readonly unknown[]> {
  const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
  const found: unknown[] = [...(await findViolations(page, include === undefined ? {} : { include }))];
  // A chart takes its width a moment later.
  const isFitting = vi.waitUntil(() => page.evaluate<boolean>(fits), { timeout: PATIENCE });
  await isFitting.catch(() => found.push("scrolls sideways"));
  return [...found, ...complaints.splice(0)];
}
