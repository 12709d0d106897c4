/** A page that is not drawn, for whatever reason, goes on after this time. */
const LONGEST = 1_000;

/**
 * Resolves when what is there now has been on the screen for a frame, so that nothing else delays it. At once when nobody looks at
 * the page: nothing is painted then.
 */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) resolve();
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
    setTimeout(resolve, LONGEST);
  });
}
