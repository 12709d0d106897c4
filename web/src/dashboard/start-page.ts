import type { ViewHead } from "#client/resources.ts";

/** The dashboard that a site begins with: one's own comes before the shared one. */
export function startOf(views: readonly ViewHead[]): ViewHead | undefined {
  const starts = views.filter(({ is_start, kind }) => is_start && kind === "dashboard");
  return starts.find(({ is_shared }) => !is_shared) ?? starts[0];
}

/** The dashboard that is shown where the address names none. */
export function firstOf(views: readonly ViewHead[]): ViewHead | undefined {
  return startOf(views) ?? views.find(({ is_shared }) => !is_shared) ?? views[0];
}
