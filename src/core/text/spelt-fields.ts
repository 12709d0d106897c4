/** A field's name as manifests and JSON spell it: `displayName` is `display_name`. */
type SnakeCase<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? Letter extends Lowercase<Letter>
    ? `${Letter}${SnakeCase<Rest>}`
    : `_${Lowercase<Letter>}${SnakeCase<Rest>}`
  : "";

/** One value for each field of T, by its spelling in JSON. With it the compiler asks for a field that T has and a rendering lacks. */
export type SpeltFields<T> = Readonly<Record<SnakeCase<keyof T & string>, unknown>>;
