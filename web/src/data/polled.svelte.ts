/**
 * Something that is read now, when what it asks for changes, and every so often while the page is seen. `ask` gives undefined while
 * there is nothing to ask. Call it while a component is made.
 */
export function polled<Value>(ask: () => Promise<Value> | undefined, everyMs: number) {
  let value = $state.raw<Value | undefined>();
  let error = $state.raw<unknown>();
  let asked = 0;

  async function read(): Promise<void> {
    const question = ask();
    if (question === undefined) return;
    asked += 1;
    const mine = asked;
    try {
      const found = await question;
      if (mine === asked) [value, error] = [found, undefined];
    } catch (caught) {
      if (mine === asked) error = caught;
    }
  }

  $effect(() => {
    void read();
    const timer = setInterval(() => {
      if (!document.hidden) void read();
    }, everyMs);
    return () => clearInterval(timer);
  });

  return {
    /** The last answer; undefined before the first. */
    get value(): Value | undefined {
      return value;
    },
    /** Why the last question has no answer. */
    get error(): unknown {
      return error;
    },
    read,
  };
}
