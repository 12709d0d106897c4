interface Wake {
  call(): void;
  /**
   * Resolves with the next call, or at once when there was a call since the last `next`. With `pause` also when that ends,
   * which is called off otherwise. For one waiter.
   */
  next(pause?: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

export function createWake(): Wake {
  let wasCalled = false;
  let resolve: (() => void) | undefined;
  return {
    call() {
      wasCalled = true;
      resolve?.();
    },
    async next(pause) {
      if (!wasCalled) {
        const over = new AbortController();
        await new Promise<void>((wake) => {
          resolve = wake;
          void pause?.(over.signal).then(wake);
        });
        resolve = undefined;
        over.abort();
      }
      wasCalled = false;
    },
  };
}
