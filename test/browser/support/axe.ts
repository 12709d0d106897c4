import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

interface Part {
  readonly include?: string;
  readonly exclude?: string;
}

export interface Violation {
  readonly id: string;
  readonly html: string | undefined;
  readonly summary: string | undefined;
}

/** What axe finds wrong with what is shown now. */
export async function findViolations(page: Page, { include, exclude }: Part = {}): Promise<readonly Violation[]> {
  // A page that moved on without being loaded still has axe: its half a megabyte need not be sent again.
  const isThere = await page.evaluate<boolean>("typeof axe === 'object'");
  // There are no frames: with them, each look opens a window of its own. Details of what is right are not rendered.
  const builder = new AxeBuilder({ page, ...(isThere && { axeSource: ";" }) })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] });
  if (include !== undefined) builder.include(include);
  if (exclude !== undefined) builder.exclude(exclude);
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => ({ id, html: nodes[0]?.html, summary: nodes[0]?.failureSummary }));
}
