// How an operation of the server is called. Which operations there are, and what they take and answer, is written from their
// declarations: `npm run client-types`.
import type { Call } from "./call.ts";
import { OPERATIONS } from "./operations.ts";
import type { Answers, Bodies, Queries } from "./resources.ts";
import { segment } from "./segment.ts";

export type OperationName = keyof typeof OPERATIONS;

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

type Params<Name extends OperationName> = ParamNames<(typeof OPERATIONS)[Name]>;

/** What an operation takes: the names in its path, its query and its JSON body, and what every call may have besides. */
type Input<Name extends OperationName> = Pick<Call, "bytes" | "headers" | "signal"> &
  ([Params<Name>] extends [never] ? unknown : { readonly params: Readonly<Record<Params<Name>, string>> }) &
  (Name extends keyof Queries ? { readonly query?: Queries[Name] | undefined } : unknown) &
  (Name extends keyof Bodies ? { readonly body: Bodies[Name] } : unknown);

/** The input may be left out where the operation needs none. */
export type InputOf<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>];

export type Perform = <Name extends OperationName & keyof Answers>(
  name: Name,
  ...input: InputOf<Name>
) => Promise<Answers[Name]>;

export function callOf<Name extends OperationName>(name: Name, ...[input]: InputOf<Name>): Call {
  const { params = {}, ...rest } = (input ?? {}) as Omit<Call, "method" | "path"> & {
    readonly params?: Readonly<Record<string, string>>;
  };
  const [method, path] = OPERATIONS[name].split(" ") as [Call["method"], string];
  // Without types an id may be missing. The server then refuses it, as it refuses any id that it does not know.
  return { ...rest, method, path: path.replaceAll(/\{(\w+)\}/g, (_, one: string) => segment(String(params[one]))) };
}
