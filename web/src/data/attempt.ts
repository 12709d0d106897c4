/** A browser may refuse storage, and what lies in it may be anything. Then there is nothing, and that is no failure. */
export function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
