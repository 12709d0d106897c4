// Signatures of the host's functions and values, in the notation of LuaLS:
//   modbus.new(uri: string): modbus.Client?, string?      a function of a table
//   modbus.Client:read(queries: modbus.ReadQuery[])       a method of an object
//   can.DROP_OLDEST: integer                              a value
//   http.Headers[string]: string[]                        any further key

export interface HostParameter {
  /** `...` for any number of further arguments. */
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
}

export interface HostFunction {
  readonly kind: "function";
  /** Called with a dot, with a colon, or with either. */
  readonly call: "dot" | "colon" | "either";
  readonly parameters: readonly HostParameter[];
  readonly returns: readonly string[];
  readonly about: string;
}

interface HostValue {
  readonly kind: "value";
  readonly type: string;
  readonly about: string;
}

export type HostMember = HostFunction | HostValue;

export interface Signature {
  /** The table or class; empty for a global. */
  readonly owner: string;
  /** Undefined for any further key of the owner. */
  readonly name: string | undefined;
  readonly member: HostMember;
}

const HEAD = /^(?:([A-Za-z_][\w.]*)([.:]))?([A-Za-z_]\w*)(\(|: |\[\w+\]: )/;

/** Only for texts of our own: a mistake in one is a bug, and thrown. */
export function parseSignature(text: string, about: string): Signature {
  const [head, owner = "", separator, name = "", mark] = HEAD.exec(text) ?? [];
  if (head === undefined || mark === undefined) throw new Error(`not a signature: ${text}`);
  const rest = text.slice(head.length);
  if (mark === ": ") return { owner, name, member: { kind: "value", type: rest, about } };
  if (mark !== "(") {
    return { owner: `${owner}${separator}${name}`, name: undefined, member: { kind: "value", type: rest, about } };
  }
  const close = closingAt(rest);
  const parameters = splitTypes(rest.slice(0, close)).map(parseParameter);
  const returns = splitTypes(rest.slice(close + 1).replace(/^: /, ""));
  const call = separator === ":" ? "colon" : "dot";
  return { owner, name, member: { kind: "function", call, parameters, returns, about } };
}

/** The parameters of a type such as `fun(ctx: T, args: table): table?`; none for any other type. */
export function callbackParameters(type: string): readonly HostParameter[] {
  if (!type.startsWith("fun(")) return [];
  const rest = type.slice("fun(".length);
  return splitTypes(rest.slice(0, closingAt(rest))).map(parseParameter);
}

function parseParameter(text: string): HostParameter {
  const [, name = "", optional, type = "any"] = /^(\.\.\.|\w+)(\?)?: (.+)$/.exec(text) ?? [];
  if (name === "") throw new Error(`not a parameter: ${text}`);
  return { name, type, isOptional: optional !== undefined || name === "..." };
}

/** Where the bracket closes that opened before the text. */
function closingAt(text: string): number {
  let depth = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error(`a bracket is not closed: ${text}`);
}

/** By commas outside of brackets. */
function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at];
    if (character !== undefined && "(<{[".includes(character)) depth += 1;
    if (character !== undefined && ")>}]".includes(character)) depth -= 1;
    if (character !== undefined && (character !== "," || depth > 0)) continue;
    parts.push(text.slice(start, at).trim());
    start = at + 1;
  }
  return parts.filter((part) => part !== "");
}
