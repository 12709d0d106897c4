/** `next` resolves with the next call, or at once when there was a call since the last `next`. For one waiter. */
export function createWake(): { call(): void; next(): Promise<void> } {
  let wasCalled = false;
  let resolve: (() => void) | undefined;
  return {
    call() {
      wasCalled = true;
      resolve?.();
      resolve = undefined;
    },
    async next() {
      if (!wasCalled) await new Promise<void>((wake) => (resolve = wake));
      wasCalled = false;
    },
  };
}
