// The clock of a scenario: time that has passed, and what the clock on the wall shows, which may be set.
export interface ScenarioClock {
  /** Milliseconds since the start. */
  elapsed(): number;
  /** Unix milliseconds. */
  now(): number;
  /** Of a moment on the wall, as far as the clock is not set until then. */
  elapsedAt(wall: number): number;
  advance(elapsed: number): void;
  set(wall: number): void;
}

export function createScenarioClock(start: number): ScenarioClock {
  let [elapsed, offset] = [0, start];
  return {
    elapsed: () => elapsed,
    now: () => elapsed + offset,
    elapsedAt: (wall) => wall - offset,
    advance(to) {
      elapsed = Math.max(elapsed, to);
    },
    set(wall) {
      offset = wall - elapsed;
    },
  };
}
