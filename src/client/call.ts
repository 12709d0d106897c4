/** What may stand in a query; lists are joined by commas. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

export type Call = {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  /** A record is `name[key]=...` for each key; what is undefined is left out. */
  readonly query?: Readonly<Record<string, QueryValue | Readonly<Record<string, QueryValue>>>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of a JSON body. */
  readonly bytes?: { readonly type: string; readonly content: Uint8Array } | undefined;
  /** What is undefined is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
};
