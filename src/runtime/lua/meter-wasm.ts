// Adds a meter to the interpreter's WebAssembly: every iteration of every loop burns one unit of fuel, and when it is
// used up an imported function is asked for more. So nothing that Lua does, in a script or in its C library, runs on
// without asking the host, and a script needs no count hook, which would cost it a third of its speed. Lua's loop over
// instructions has separate fuel: a script can be suspended only there, and C code may burn a thousand times as much. So
// has the matcher of patterns, which can be interrupted.
import { createByteReader, encodeUnsigned, skipInstruction } from "./wasm-bytes.ts";

/** An import that Lua's C library declares and no script can reach: (i32) -> i32. It becomes the question for fuel. */
export const FUEL_IMPORT = "system";

/** Fuel of Lua's own loop over instructions, and of the matcher of patterns. The host takes it away to be asked there next. */
export const VM_FUEL_EXPORT = "vm_fuel";
export const MATCH_FUEL_EXPORT = "match_fuel";

const SECTION = { import: 2, memory: 5, global: 6, export: 7, code: 10 };
const GLOBAL = 3;
const LOOP = 0x03;
const I32 = 0x7f;
const VOID_BLOCK = 0x40;

/**
 * The function that matches patterns, `do_match` in lstrlib.c: the only one that refers to the text "pattern too complex".
 * Its first parameter is the `MatchState`, and stays so. It holds nothing, so an error may leave it at any moment.
 */
const MATCHER = 497;
/** Marks a `MatchState` in the question for fuel: it lies at an even address, as threads do. */
export const MATCHING = 1;
/** Where a `MatchState` has its thread. */
export const MATCH_THREAD = 12;

/** Pages of 64 KiB that static data, the C stack and a first bit of heap take. As published, a module starts with 16 MiB. */
const FIRST_PAGES = 18;
/** The most an instance may be allowed: where V8 cannot use guard pages it sets aside address space for all of it. */
const MOST_PAGES = 2_048;

/**
 * The same module, metered, and with as little memory to begin with as it can run in. The argument of the question is
 * the Lua thread where it is asked by Lua's own loop over instructions, the `MatchState` plus `MATCHING` where it is asked
 * by the matcher of patterns, and 0 where it is asked by other C code.
 */
export function meterWasm(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = createByteReader(bytes);
  const pieces: Uint8Array[] = [reader.take(8)];
  let question = -1;
  let imported = 0;
  let fuel = -1;
  while (!reader.isDone()) {
    const id = reader.byte();
    let content = reader.take(reader.unsigned());
    if (id === SECTION.import) {
      question = findImport(content);
      imported = createByteReader(content).unsigned();
    }
    if (id === SECTION.memory) content = memorySection();
    if (id === SECTION.global) {
      fuel = createByteReader(content).unsigned();
      content = withGlobals(content);
    }
    if (id === SECTION.export) content = withExports(content, fuel);
    if (id === SECTION.code) content = meterCode(content, { question, imported, fuel });
    pieces.push(Uint8Array.of(id), encodeUnsigned(content.length), content);
  }
  if (question < 0 || fuel < 0) throw new Error("the interpreter's module is not the one that was expected");
  return join(pieces);
}

interface Meter {
  /** Index of the function that is asked. */
  readonly question: number;
  /** How many functions come before those that have code. */
  readonly imported: number;
  /** Index of the global that holds what is left for C code; the next ones are for Lua's own loop and for the matcher. */
  readonly fuel: number;
}

/** Index among imported functions; the module imports nothing else. */
function findImport(content: Uint8Array): number {
  const reader = createByteReader(content);
  const count = reader.unsigned();
  for (let index = 0; index < count; index += 1) {
    reader.take(reader.unsigned());
    const name = Buffer.from(reader.take(reader.unsigned())).toString("utf8");
    if (reader.byte() !== 0) throw new Error("the interpreter's module imports more than functions");
    reader.unsigned();
    if (name === FUEL_IMPORT) return index;
  }
  return -1;
}

function memorySection(): Uint8Array {
  return join([Uint8Array.of(1, 1), encodeUnsigned(FIRST_PAGES), encodeUnsigned(MOST_PAGES)]);
}

/** Three more: variables i32 that begin with 0. */
function withGlobals(content: Uint8Array): Uint8Array {
  const reader = createByteReader(content);
  const count = reader.unsigned();
  const zero = [I32, 1, 0x41, 0, 0x0b];
  return join([encodeUnsigned(count + 3), reader.rest(), Uint8Array.of(...zero, ...zero, ...zero)]);
}

function withExports(content: Uint8Array, fuel: number): Uint8Array {
  const reader = createByteReader(content);
  const count = reader.unsigned();
  const exported = (text: string, index: number) => {
    const name = Buffer.from(text);
    return [Uint8Array.of(name.length, ...name, GLOBAL), encodeUnsigned(index)];
  };
  return join([
    encodeUnsigned(count + 2),
    reader.rest(),
    ...exported(VM_FUEL_EXPORT, fuel + OFFSET.interpreter),
    ...exported(MATCH_FUEL_EXPORT, fuel + OFFSET.matcher),
  ]);
}

function meterCode(content: Uint8Array, meter: Meter): Uint8Array {
  const reader = createByteReader(content);
  const count = reader.unsigned();
  const bodies = Array.from({ length: count }, () => reader.take(reader.unsigned()));
  // Lua's loop over instructions is by far the longest function; its first parameter is the thread, and stays so.
  const longest = bodies.reduce((most, body) => (body.length > most.length ? body : most), new Uint8Array(0));
  const metered = bodies.flatMap((body, index) => {
    const isMatcher = index + meter.imported === MATCHER;
    const done = meterBody(body, meter, body === longest ? "interpreter" : isMatcher ? "matcher" : "other");
    return [encodeUnsigned(done.length), done];
  });
  return join([encodeUnsigned(count), ...metered]);
}

type Kind = "interpreter" | "matcher" | "other";

function meterBody(body: Uint8Array, meter: Meter, kind: Kind): Uint8Array {
  const reader = createByteReader(body);
  for (let groups = reader.unsigned(); groups > 0; groups -= 1) {
    reader.unsigned();
    reader.byte();
  }
  const check = fuelCheck(meter, kind);
  const pieces: Uint8Array[] = [];
  let copied = 0;
  while (!reader.isDone()) {
    const opcode = skipInstruction(reader);
    if (opcode !== LOOP) continue;
    pieces.push(body.subarray(copied, reader.at()), check);
    copied = reader.at();
  }
  return join([...pieces, body.subarray(copied)]);
}

const OFFSET: Readonly<Record<Kind, number>> = { other: 0, interpreter: 1, matcher: 2 };
const ASKED_BY: Readonly<Record<Kind, Uint8Array>> = {
  interpreter: Uint8Array.of(0x20, 0),
  matcher: Uint8Array.of(0x20, 0, 0x41, MATCHING, 0x72),
  other: Uint8Array.of(0x41, 0),
};

/** `fuel -= 1; if (fuel < 0) fuel = question(thread, match or 0)`. */
function fuelCheck({ question, fuel }: Meter, kind: Kind): Uint8Array {
  const global = encodeUnsigned(fuel + OFFSET[kind]);
  return join([
    join([Uint8Array.of(0x23), global, Uint8Array.of(0x41, 1, 0x6b, 0x24), global]),
    join([Uint8Array.of(0x23), global, Uint8Array.of(0x41, 0, 0x48, 0x04, VOID_BLOCK)]),
    ASKED_BY[kind],
    join([Uint8Array.of(0x10), encodeUnsigned(question), Uint8Array.of(0x24), global, Uint8Array.of(0x0b)]),
  ]);
}

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
