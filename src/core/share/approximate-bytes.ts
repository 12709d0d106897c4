/**
 * About how much memory a plain value takes: exact enough to hold it against a budget, and cheap enough to ask for each write.
 * Without recursion, so that depth costs no stack.
 */
export function approximateBytes(value: unknown): number {
  let bytes = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    bytes += 8;
    if (typeof next === "string") bytes += next.length;
    else if (typeof next !== "object" || next === null) continue;
    else if (ArrayBuffer.isView(next)) bytes += next.byteLength;
    else if (Array.isArray(next)) for (const item of next) rest.push(item);
    else if (next instanceof Map) for (const [key, item] of next) rest.push(key, item);
    else if (next instanceof Set) for (const item of next) rest.push(item);
    else for (const key in next) rest.push((next as Record<string, unknown>)[key], key);
  }
  return bytes;
}
