/**
 * About how much memory a plain value takes: exact enough to hold it against a budget, and cheap enough to ask for each write.
 * Without recursion, so that depth costs no stack.
 */
export function approximateBytes(value: unknown): number {
  let bytes = 0;
  /** Values that hold others. What holds none is counted where it is found: most values do, and each write asks. */
  const rest: object[] = [];
  const add = (item: unknown) => {
    bytes += 8;
    if (typeof item === "string") bytes += item.length;
    else if (typeof item === "object" && item !== null) rest.push(item);
  };
  add(value);
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (ArrayBuffer.isView(next)) bytes += next.byteLength;
    else if (Array.isArray(next) || next instanceof Set) for (const item of next) add(item);
    else if (next instanceof Map) {
      for (const [key, item] of next) {
        add(key);
        add(item);
      }
    } else {
      for (const key in next) {
        bytes += 8 + key.length;
        add((next as Readonly<Record<string, unknown>>)[key]);
      }
    }
  }
  return bytes;
}
