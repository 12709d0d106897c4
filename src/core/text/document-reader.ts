// Reads a document that people write, such as a tariff or an interlock, and collects everything that is wrong with it.
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { pointerTo } from "./json-pointer.ts";

export const PROBLEM_CODES = [
  "wrong_value",
  "unknown_field",
  "too_many",
  "does_not_go_together",
  "duplicate",
  "cycle",
  "unknown_device",
  "unknown_attribute",
  "unknown_control",
  "unknown_circuit",
  "wrong_unit",
  "damaged",
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export interface Problem {
  readonly code: ProblemCode;
  /** JSON pointer */
  readonly pointer: string;
  /** What would be right. */
  readonly message: string;
}

export const MAX_PROBLEMS = 50;
const LONGEST_NAME = 1_000;

/** A place in the document. Where something is wrong it is reported, and a value that fits the type is given. */
export class DocumentReader {
  readonly pointer: string;
  /** By pointer. Of several at one place the first says enough. */
  readonly #found: Map<string, Problem>;

  constructor(pointer = "", found: Map<string, Problem> = new Map()) {
    this.pointer = pointer;
    this.#found = found;
  }

  get problems(): readonly Problem[] {
    return [...this.#found.values()].slice(0, MAX_PROBLEMS);
  }

  at(name: string): DocumentReader {
    return new DocumentReader(pointerTo(this.pointer, name), this.#found);
  }

  report(message: string, code: ProblemCode = "wrong_value"): void {
    const { pointer } = this;
    if (!this.#found.has(pointer)) this.#found.set(pointer, { code, pointer, message });
  }

  object(value: unknown, known: readonly string[]): Fields {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject) this.report("must be an object");
    const entries = isObject ? Object.entries(value) : [];
    for (const [name] of entries) {
      if (known.includes(name)) continue;
      this.at(name).report(`is not known here; known are ${known.join(", ")}`, "unknown_field");
    }
    // What is no object lacks every field, which need not be said.
    const reader = isObject ? this : new DocumentReader(this.pointer);
    return new Fields(reader, new Map(entries.filter(([name]) => known.includes(name))));
  }

  list(value: unknown, most: number): readonly { readonly value: unknown; readonly at: DocumentReader }[] {
    if (!Array.isArray(value) || value.length === 0 || value.length > most) {
      this.report(`must be a list of 1 to ${most}`, Array.isArray(value) && value.length > 0 ? "too_many" : undefined);
      return [];
    }
    return value.map((one, n) => ({ value: one, at: this.at(String(n)) }));
  }

  number(value: unknown, [least, most]: readonly [number, number]): number {
    if (typeof value === "number" && value >= least && value <= most) return value;
    this.report(`must be a number from ${least} to ${most}`);
    return 0;
  }

  whole(value: unknown, [least, most]: readonly [number, number]): number {
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
    this.report(`must be a whole number from ${least} to ${most}`);
    return least;
  }

  text(value: unknown, form: RegExp, what: string): string {
    if (typeof value === "string" && form.test(value)) return value;
    this.report(`must be ${what}`);
    return "";
  }

  name(value: unknown, longest: number): string {
    const isName = typeof value === "string" && value.length <= longest && NAME.test(value);
    if (!isName) this.report(`must be a text of 1 to ${longest} characters`);
    return isName ? value : "";
  }

  word<Word extends string>(value: unknown, words: readonly [Word, ...Word[]] | readonly Word[]): Word {
    const found = words.find((word) => word === value);
    if (found === undefined) this.report(`must be one of ${words.join(", ")}`);
    return found ?? (words[0] as Word);
  }

  /** Milliseconds. */
  duration(value: unknown, [least, most]: readonly [string, string]): number {
    const read = (text: string) => {
      const duration = parseDuration(text);
      return duration === undefined ? Number.NaN : toMilliseconds(duration);
    };
    const given = typeof value === "string" ? read(value) : Number.NaN;
    if (given >= read(least) && given <= read(most)) return given;
    this.report(`must be a duration from ${least} to ${most}, such as ${least}`);
    return read(least);
  }
}

/** No control characters, and not only blanks. */
const NAME = new RegExp(`^(?=.*\\S)[^\\u0000-\\u001f\\u007f]{1,${LONGEST_NAME}}$`);

export class Fields {
  readonly #reader: DocumentReader;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(reader: DocumentReader, values: ReadonlyMap<string, unknown>) {
    this.#reader = reader;
    this.#values = values;
  }

  at(name: string): DocumentReader {
    return this.#reader.at(name);
  }

  get(name: string): unknown {
    return this.#values.get(name);
  }

  /** A field that is missing or null is not given. */
  optional<Value>(name: string, read: (at: DocumentReader, value: unknown) => Value): Value | undefined {
    const value = this.#values.get(name);
    return value === undefined || value === null ? undefined : read(this.at(name), value);
  }

  refuseOthers(known: readonly string[], what: string): void {
    for (const [name, value] of this.#values) {
      if (value === undefined || value === null || known.includes(name)) continue;
      this.at(name).report(`does not go with ${what}`, "does_not_go_together");
    }
  }
}
