import type { CurrentValues } from "./current-values.ts";
import type { Intake } from "./intake.ts";
import type { SeriesIndex } from "./series-index.ts";
import type { WriterThread } from "./writer-thread.ts";

/** What the open store consists of. */
export interface SeriesParts {
  readonly index: SeriesIndex;
  readonly thread: WriterThread;
  readonly intake: Intake;
  readonly current: CurrentValues;
  /** Whether other nodes write to the same database. */
  readonly isShared: boolean;
  readonly clock: () => number;
  /** Other nodes define series, too. */
  readonly learnSeries: (deviceIds: readonly string[]) => Promise<void>;
  /** Damage with its place in terms that the caller knows. */
  readonly named: (error: unknown) => unknown;
}
