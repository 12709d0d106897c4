/**
 * The vocabulary in which the manifest language is written down. A shape is data: the validator walks it, the JSON Schema
 * is rendered from it, and `Draft` and `Valid` derive the types of the code from it.
 */
export type Shape = TextShape | FlagShape | NumberShape | ScalarShape | ListShape | ObjectShape | MapShape | EnumShape;

export interface TextShape {
  readonly kind: "text";
  readonly oneOf?: readonly string[];
  readonly pattern?: Pattern;
  readonly maxLength?: number;
}
export interface FlagShape {
  readonly kind: "flag";
}
export interface NumberShape {
  readonly kind: "number";
}
/** A text, number or boolean whose meaning depends on a declared type. */
export interface ScalarShape {
  readonly kind: "scalar";
}
export interface ListShape {
  readonly kind: "list";
  readonly item: TextShape;
  /** A single text is read as a list with one item. */
  readonly orOne: boolean;
}
export interface ObjectShape {
  readonly kind: "object";
  /** What it is, for messages: "command argument". */
  readonly what: string;
  readonly fields: Fields;
  /** The same fields by name, safe against names such as `constructor`. */
  readonly byName: ReadonlyMap<string, NamedField>;
}
export interface MapShape {
  readonly kind: "map";
  /** What the keys are, for messages: "property ID". */
  readonly keys: string;
  readonly pattern?: Pattern;
  readonly value: ObjectShape;
}
/** A list of values, or an object whose keys are the values. */
export interface EnumShape {
  readonly kind: "enum";
  readonly item: ObjectShape;
}

export interface Pattern {
  readonly regex: RegExp;
  readonly words: string;
}

export interface Field {
  readonly shape: Shape;
  readonly required: boolean;
  readonly description: string;
}

interface NamedField extends Field {
  /** The field's name in code: `display_name` is `displayName`. */
  readonly property: string;
}

type Fields = Readonly<Record<string, Field>>;

export const flag: FlagShape = { kind: "flag" };
export const number: NumberShape = { kind: "number" };
export const scalar: ScalarShape = { kind: "scalar" };
export const text: { readonly kind: "text" } = { kind: "text" };

export function oneOf<const V extends readonly string[]>(values: V): { readonly kind: "text"; readonly oneOf: V } {
  return { kind: "text", oneOf: values };
}

export function listOf<I extends TextShape>(
  item: I,
): { readonly kind: "list"; readonly item: I; readonly orOne: false } {
  return { kind: "list", item, orOne: false };
}

export function oneOrMore<I extends TextShape>(
  item: I,
): { readonly kind: "list"; readonly item: I; readonly orOne: true } {
  return { kind: "list", item, orOne: true };
}

export function object<const F extends Fields>(what: string, fields: F) {
  const byName = new Map(
    Object.entries<Field>(fields).map(([name, field]) => [name, { ...field, property: camelCase(name) }]),
  );
  return { kind: "object", what, fields, byName } as const;
}

export function mapOf<V extends ObjectShape>(keys: { keys: string; pattern?: Pattern }, value: V) {
  return { kind: "map", ...keys, value } as const;
}

export function required<S extends Shape>(shape: S, description: string) {
  return { shape, required: true, description } as const;
}

export function optional<S extends Shape>(shape: S, description: string) {
  return { shape, required: false, description } as const;
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

type CamelCase<N> = N extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : N;

/** A scalar as it stands in the document: its value, and its text before YAML gave it a type. */
export interface Raw {
  readonly value: string | number | boolean;
  readonly text: string;
}

/** One enum value before the declared type is applied. `step` is its place in the list, or its key. */
export interface RawEnumItem<I> {
  readonly raw: Raw;
  readonly step: string | number;
  readonly item: I | undefined;
}

/** What can be read of a document with errors: anything may be absent. */
export type Draft<S> = Read<S, undefined>;
/** The type of a document without errors: required fields are present. */
export type Valid<S> = Read<S, never>;

type Read<S, Gap> = S extends { kind: "text"; oneOf: readonly (infer V)[] }
  ? V
  : S extends { kind: "text" }
    ? string
    : S extends { kind: "flag" }
      ? boolean
      : S extends { kind: "number" }
        ? number
        : S extends { kind: "scalar" }
          ? Raw
          : S extends { kind: "list"; item: infer I }
            ? readonly (Read<I, Gap> | Gap)[]
            : S extends { kind: "map"; value: infer V }
              ? ReadonlyMap<string, Read<V, Gap>>
              : S extends { kind: "enum"; item: infer I }
                ? readonly RawEnumItem<Read<I, Gap>>[]
                : S extends { kind: "object"; fields: infer F }
                  ? { readonly [N in keyof F as CamelCase<N> & string]: ReadField<F[N], Gap> }
                  : never;

type ReadField<F, Gap> = F extends { shape: infer S; required: infer R }
  ? Read<S, Gap> | (R extends true ? Gap : undefined)
  : never;
