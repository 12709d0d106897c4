// Limits on what a misbehaving device may cost.

/** Ids that one list may hold. */
export const MAX_LISTED_ALERTS = 1_000;
export const MAX_ALERT_ID_LENGTH = 200;
/** Characters of JSON that the details of one alert may have, and all details of one source together. */
export const MAX_DETAILS_LENGTH = 4_096;
export const MAX_SOURCE_DETAILS_LENGTH = 65_536;
/** Past alerts kept of one device; the oldest go first. */
export const MAX_PAST_ALERTS = 10_000;

/** Describes what is wrong with a list of alert ids; undefined when nothing is. */
export function alertListProblem(ids: readonly string[]): string | undefined {
  if (ids.length > MAX_LISTED_ALERTS) return `must list at most ${MAX_LISTED_ALERTS} alerts, not ${ids.length}`;
  if (ids.some((id) => id === "" || id.length > MAX_ALERT_ID_LENGTH)) {
    return `must list alert ids of 1 to ${MAX_ALERT_ID_LENGTH} characters`;
  }
  return undefined;
}
