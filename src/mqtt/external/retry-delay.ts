const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 60_000;

/** Full jitter over a doubling range, so that many services do not reconnect at the same moment. */
export function retryDelay(failures: number): number {
  const range = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 16));
  return Math.ceil(FIRST_RETRY_MS / 5 + Math.random() * range);
}
