// JSON pointers into what a caller sent. A pointer always names a place that is there, or where something missing belongs: if a
// key or the whole pointer is too long to repeat, it names the object around it.
const MAX_KEY_LENGTH = 100;
const MAX_LENGTH = 300;

/** `base` is a pointer, `keys` lead on from there. */
export function pointerTo(base: string, ...keys: readonly string[]): string {
  let pointer = base;
  for (const key of keys) {
    if (key.length > MAX_KEY_LENGTH) break;
    pointer += `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return shortPointer(pointer);
}

/** The pointer, or that of the nearest object around it which is short enough to repeat. */
export function shortPointer(pointer: string): string {
  if (pointer.length <= MAX_LENGTH) return pointer;
  return pointer.slice(0, pointer.lastIndexOf("/", MAX_LENGTH));
}
