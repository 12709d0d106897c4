/** What a Lua text that describes something leaves behind, such as a rockspec: plain values by the names of its globals. */
export type LuaData = string | number | boolean | undefined | LuaTable;

export interface LuaTable {
  readonly list: readonly LuaData[];
  readonly fields: ReadonlyMap<string, LuaData>;
}

export type EvaluatedLua =
  | { readonly values: ReadonlyMap<string, LuaData>; readonly problem: undefined }
  | { readonly values: undefined; readonly problem: { readonly line: number; readonly message: string } };

/** Runs such a text where it can reach nothing, within bounds of time and memory. Never throws. */
export type EvaluateLua = (text: string) => EvaluatedLua;
