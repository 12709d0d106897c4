// JSON schemas as plain objects that carry the TypeScript type of what fits them. One schema validates a body, documents it and types it.

declare const value: unique symbol;

export interface Schema<Value = unknown> {
  /** Never present at run time: it only carries the type. */
  readonly [value]?: Value;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

/** A field that may be missing. */
interface OptionalField<Value = unknown> {
  readonly optional: Schema<Value>;
}

export type Fields = Readonly<Record<string, Schema | OptionalField>>;

/** The type of the values that fit a schema. */
export type Static<Of extends Schema> = Of extends Schema<infer Value> ? Value : never;

type Flat<Value> = { [Key in keyof Value]: Value[Key] };
type ObjectOf<Of extends Fields> = Flat<
  {
    [Name in keyof Of as Of[Name] extends OptionalField ? never : Name]: Of[Name] extends Schema<infer Value>
      ? Value
      : never;
  } & {
    [Name in keyof Of as Of[Name] extends OptionalField ? Name : never]?: Of[Name] extends OptionalField<infer Value>
      ? Value
      : never;
  }
>;

/** Keywords of JSON Schema beside those that the function itself writes. */
type Keywords = Readonly<Record<string, unknown>>;

export const Type = {
  String: (keywords: Keywords = {}): Schema<string> => ({ type: "string", ...keywords }),
  Number: (keywords: Keywords = {}): Schema<number> => ({ type: "number", ...keywords }),
  Integer: (keywords: Keywords = {}): Schema<number> => ({ type: "integer", ...keywords }),
  Boolean: (keywords: Keywords = {}): Schema<boolean> => ({ type: "boolean", ...keywords }),
  Array: <Item>(items: Schema<Item>, keywords: Keywords = {}): Schema<Item[]> => ({
    type: "array",
    items,
    ...keywords,
  }),
  /** Any schema. Its type is trusted, not checked. */
  Unsafe: <Value>(schema: Keywords): Schema<Value> => schema,
  Optional: <Value>(schema: Schema<Value>): OptionalField<Value> => ({ optional: schema }),
  Object: <Of extends Fields>(fields: Of, keywords: Keywords = {}): Schema<ObjectOf<Of>> => {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const [name, field] of Object.entries(fields)) {
      if (isOptional(field)) properties[name] = field.optional;
      else {
        properties[name] = field;
        required.push(name);
      }
    }
    return { type: "object", ...(required.length > 0 && { required }), properties, ...keywords };
  },
};

function isOptional(field: Schema | OptionalField): field is OptionalField {
  return "optional" in field;
}
