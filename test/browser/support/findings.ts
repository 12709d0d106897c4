// What is wrong with a page as it is shown: what axe finds, whether it scrolls sideways, and what the browser complained about.
import { vi } from "vitest";
import { IS_LONG } from "../../support/rounds.ts";
import { findViolations } from "./axe.ts";
import { PATIENCE, type Scheme, type Visitor } from "./browse.ts";

/** Both themes, and both widths: colours do not depend on the width, nor the order of elements on the theme. */
const LOOKS: readonly { readonly colorScheme: Scheme; readonly width: number }[] = [
  { colorScheme: "light", width: 360 },
  { colorScheme: "dark", width: 1440 },
];
const HEIGHT = 900;
const FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";

/**
 * Looks at a page on a phone and on a desk, without opening it again. Axe takes a second each time: it sees every page in one
 * of the looks, by turns, and in the long run in both.
 */
export function createFindings(): (visitor: Visitor) => Promise<readonly unknown[]> {
  let turn = 0;
  return async ({ page, complaints }) => {
    const found: unknown[] = [];
    const withAxe = turn++ % LOOKS.length;
    for (const [index, { colorScheme, width }] of LOOKS.entries()) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: HEIGHT });
      if (IS_LONG || index === withAxe)
        for (const violation of await findViolations(page)) found.push([colorScheme, width, violation]);
      // A chart takes its new width a moment later.
      await vi
        .waitUntil(() => page.evaluate<boolean>(FITS), { timeout: PATIENCE })
        .catch(() => found.push(`scrolls sideways at ${width}`));
    }
    return [...found, ...complaints.splice(0)];
  };
}
