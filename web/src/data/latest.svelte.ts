/**
 * The answer to a question that is asked again and again. An answer that was asked for before something newer became known is
 * dropped. `ask` gives undefined while there is nothing to ask. Call it while a component is made.
 */
export function latest<Value>(ask: () => Promise<Value> | undefined) {
  let value = $state.raw<Value | undefined>();
  let error = $state.raw<unknown>();
  let asked = 0;

  return {
    /** Undefined before the first answer. */
    get value(): Value | undefined {
      return value;
    },
    /** An event may change it; questions on their way stay newer. */
    set value(changed: Value | undefined) {
      value = changed;
    },
    /** Why the last question has no answer. What is known stays. */
    get error(): unknown {
      return error;
    },
    async read(): Promise<void> {
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
    },
    /** Answers on their way are older than what is known now. */
    drop(): void {
      asked += 1;
    },
  };
}
