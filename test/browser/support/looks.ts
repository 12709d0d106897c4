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

/** Two looks have both themes, both languages and two widths; the long run has all combinations. */
export const LOOKS: readonly Look[] = IS_LONG
  ? ALL
  : [
      { width: 390, scheme: "light", locale: "de-DE" },
      { width: 1024, scheme: "dark", locale: "en-US" },
    ];

/** What is wrong with what is shown, in the look that the visitor has. */
export async function wrongIn({ page, complaints }: Visitor, include?: string): Promise<readonly unknown[]> {
  const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
  const found: unknown[] = [...(await findViolations(page, include === undefined ? {} : { include }))];
  // A chart takes its width a moment later.
  const isFitting = vi.waitUntil(() => page.evaluate<boolean>(fits), { timeout: PATIENCE });
  await isFitting.catch(() => found.push("scrolls sideways"));
  return [...found, ...complaints.splice(0)];
}
