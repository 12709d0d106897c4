// Where buckets begin and end: at multiples of a fixed length, or by a calendar.

/** [start, end), Unix milliseconds. */
export interface GridBucket {
  readonly start: number;
  readonly end: number;
}

/** Buckets follow each other without gaps. */
export interface BucketGrid {
  bucketAt(at: number): GridBucket;
}

/** Buckets of one length, aligned to 1970. */
export function fixedGrid(lengthMs: number): BucketGrid {
  return {
    bucketAt(at) {
      const start = Math.floor(at / lengthMs) * lengthMs;
      return { start, end: start + lengthMs };
    },
  };
}
