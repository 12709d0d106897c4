/**
 * About how much memory a plain value takes: exact enough to hold it against a budget, and cheap enough to ask for each write.
 * Without recursion, so that depth costs no stack.
 */
export function approximateBytes(value: unknown): number {
  let bytes = ownBytes(value);
  if (!isHolder(value)) return bytes;
  /** Values that hold others. What holds none is counted where it is found: most values do, and each write asks. */
  let rest: object[] | undefined;
  for (let next: object | undefined = value; next !== undefined; next = rest?.pop()) {
    if (ArrayBuffer.isView(next)) bytes += next.byteLength;
    else if (Array.isArray(next) || next instanceof Set) {
      for (const item of next) {
        bytes += ownBytes(item);
        if (isHolder(item)) rest = added(rest, item);
      }
    } else if (next instanceof Map) {
      for (const pair of next) {
        for (const item of pair) {
          bytes += ownBytes(item);
          if (isHolder(item)) rest = added(rest, item);
        }
      }
    } else {
      for (const key in next) {
        const item = (next as Readonly<Record<string, unknown>>)[key];
        bytes += 8 + key.length + ownBytes(item);
        if (isHolder(item)) rest = added(rest, item);
      }
    }
  }
  return bytes;
}

function ownBytes(value: unknown): number {
  return typeof value === "string" ? 8 + value.length : 8;
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function added(rest: object[] | undefined, item: object): object[] {
  if (rest === undefined) return [item];
  rest.push(item);
  return rest;
}
