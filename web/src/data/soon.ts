/** Many events at once are one question. */
const GATHER_MS = 300;

/** Does something a moment later, once for all that ask for it until then. */
export function soon(task: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    ask(): void {
      timer ??= setTimeout(() => {
        timer = undefined;
        task();
      }, GATHER_MS);
    },
    stop,
  };
}
