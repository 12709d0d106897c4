/** Three values. Undefined is unknown, which is never taken for false. */
export type Truth = boolean | undefined;

export function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(undefined) ? undefined : true;
}

export function anyOf(truths: readonly Truth[]): Truth {
  if (truths.includes(true)) return true;
  return truths.includes(undefined) ? undefined : false;
}

export const notOf = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);
