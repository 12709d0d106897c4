/** Lengths of time by which ended executions are counted, longest first. Each holds a whole number of the next. */
export const SPANS = [
  { table: "execution_day", column: "day", ms: 86_400_000 },
  { table: "execution_hour", column: "hour", ms: 3_600_000 },
] as const;

export type Span = (typeof SPANS)[number];
