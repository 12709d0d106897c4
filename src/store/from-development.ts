// Versions from before the first release had other schemas. Their data is refused with what to do, and never upgraded.

/** The first migration of those versions, in both databases. */
const FIRST_MIGRATION = "0001-records.sql";

export function isFromDevelopment(applied: readonly Readonly<Record<string, unknown>>[]): boolean {
  return applied.some(({ name }) => name === FIRST_MIGRATION);
}

/** `what` is one thing, such as `the backup`. */
export function fromDevelopment(what: string): Error {
  return new Error(
    `${what} was made by a development version of Busbar, before the first release, and cannot be upgraded. ` +
      "Use an empty data folder or database; to keep telemetry, export it with that version first (busbar export)",
  );
}
