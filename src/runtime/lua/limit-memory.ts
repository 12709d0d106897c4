/** Pages of 64 KiB that static data, the C stack and a first bit of heap take. */
const FIRST_PAGES = 18;
/** The most an instance may be allowed: where V8 cannot use guard pages it sets aside address space for all of it. */
const MOST_PAGES = 2_048;
const MEMORY_SECTION = 5;

/**
 * The same module, with as little memory to begin with as it can run in. As published it starts with 16 MiB, which
 * would leave nothing to cap: below that, the allocator need not ask for more.
 */
export function limitMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const limited = Uint8Array.from(bytes);
  let at = 8;
  while (at < limited.length) {
    const section = limited[at];
    const size = readUnsigned(limited, at + 1);
    if (section === MEMORY_SECTION) {
      // One memory, flags (1 = it has a maximum), then both sizes, written anew in as many bytes as they have.
      const first = readUnsigned(limited, size.end + 2);
      const most = readUnsigned(limited, first.end);
      writeUnsigned(limited.subarray(size.end + 2, first.end), FIRST_PAGES);
      writeUnsigned(limited.subarray(first.end, most.end), MOST_PAGES);
      return limited;
    }
    at = size.end + size.value;
  }
  throw new Error("the interpreter's module has no memory");
}

function readUnsigned(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let at = start;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end: at };
  }
}

function writeUnsigned(into: Uint8Array, value: number): void {
  for (let index = 0; index < into.length; index += 1) {
    into[index] = ((value >> (7 * index)) & 0x7f) | (index < into.length - 1 ? 0x80 : 0);
  }
}
