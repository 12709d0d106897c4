// Reads a Lua text that only assigns values to names, such as a rockspec, without running it. Values are texts,
// numbers, booleans, tables, earlier names, and texts joined by `..`; anything else is refused with its line.
import { type LuaToken, lexLua } from "./lex-lua.ts";

export type LuaData = string | number | boolean | undefined | LuaTable;

export interface LuaTable {
  readonly list: readonly LuaData[];
  readonly fields: ReadonlyMap<string, LuaData>;
}

export interface ReadLuaData {
  /** The globals that were given a value. */
  readonly values: ReadonlyMap<string, LuaData>;
  readonly problem: { readonly line: number; readonly message: string } | undefined;
}

class DataFault extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const MAX_DEPTH = 32;

/** Never throws. */
export function readLuaData(text: string): ReadLuaData {
  const { tokens, problem } = lexLua(text);
  if (problem !== undefined) return { values: new Map(), problem };
  try {
    return { values: readAssignments(tokens), problem: undefined };
  } catch (error) {
    if (!(error instanceof DataFault)) throw error;
    return { values: new Map(), problem: { line: error.line, message: error.message } };
  }
}

function readAssignments(tokens: readonly LuaToken[]): ReadonlyMap<string, LuaData> {
  const globals = new Map<string, LuaData>();
  const known = new Map<string, LuaData>();
  let at = 0;
  let depth = 0;

  const here = () => tokens[at];
  const fault = (message: string) => new DataFault(here()?.line ?? tokens.at(-1)?.line ?? 1, message);
  const isNext = (text: string) => here()?.text === text && (here()?.kind === "symbol" || here()?.kind === "name");
  const take = (text: string): boolean => {
    if (!isNext(text)) return false;
    at++;
    return true;
  };
  const expect = (text: string): void => {
    if (!take(text)) throw fault(`expected ${text}, found ${here()?.text ?? "the end"}`);
  };
  const takeName = (): string => {
    const token = here();
    if (token?.kind !== "name") throw fault(`expected a name, found ${token?.text ?? "the end"}`);
    at++;
    return token.text;
  };

  function readValue(): LuaData {
    let value = readOne();
    while (take("..")) {
      const next = readOne();
      if (!isText(value) || !isText(next)) throw fault("only texts can be joined");
      value = `${value}${next}`;
    }
    return value;
  }

  function readOne(): LuaData {
    const token = here();
    if (token === undefined) throw fault("a value is missing at the end");
    at++;
    if (token.kind === "string") return token.text;
    if (token.kind === "number") return readNumber(token);
    if (token.text === "-" && here()?.kind === "number") return -readNumber(tokens[at++] ?? token);
    if (token.text === "{") return readTable();
    if (token.text === "(") {
      const value = readValue();
      expect(")");
      return value;
    }
    if (token.text === "true" || token.text === "false") return token.text === "true";
    if (token.text === "nil") return undefined;
    if (token.kind === "name" && known.has(token.text)) return known.get(token.text);
    throw new DataFault(token.line, `${token.text} is not a plain value; only texts, numbers and tables are read`);
  }

  function readNumber(token: LuaToken): number {
    const value = Number(token.text);
    if (Number.isNaN(value)) throw new DataFault(token.line, `${token.text} is no number`);
    return value;
  }

  function readTable(): LuaTable {
    if (++depth > MAX_DEPTH) throw fault("tables are nested too deeply");
    const list: LuaData[] = [];
    const fields = new Map<string, LuaData>();
    while (!take("}")) {
      if (take("[")) {
        const key = readValue();
        if (!isText(key)) throw fault("a key must be a text or a number");
        expect("]");
        expect("=");
        fields.set(String(key), readValue());
      } else if (here()?.kind === "name" && tokens[at + 1]?.text === "=" && tokens[at + 1]?.kind === "symbol") {
        const key = takeName();
        expect("=");
        fields.set(key, readValue());
      } else list.push(readValue());
      if (!take(",") && !take(";") && !isNext("}"))
        throw fault(`expected } or a comma, found ${here()?.text ?? "the end"}`);
    }
    depth--;
    return { list, fields };
  }

  while (at < tokens.length) {
    if (take(";")) continue;
    const isLocal = take("local");
    const names = [takeName()];
    while (take(",")) names.push(takeName());
    const values: LuaData[] = [];
    if (take("=")) {
      values.push(readValue());
      while (take(",")) values.push(readValue());
    } else if (!isLocal) throw fault(`expected = after ${names.join(", ")}; the file may only give names to values`);
    names.forEach((name, i) => {
      known.set(name, values[i]);
      if (!isLocal) globals.set(name, values[i]);
    });
  }
  return globals;
}

function isText(value: LuaData): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
