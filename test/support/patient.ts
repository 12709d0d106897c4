/** For `vi.waitFor` and `vi.waitUntil`, which give up after a second: a busy machine is slow, and only a failure waits to the end. */
export const PATIENT = { timeout: 300_000, interval: 20 } as const;
