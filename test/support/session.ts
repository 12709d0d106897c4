// A small HTTP client with one token.

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever the answer holds
  readonly body: any;
}

export interface Session {
  get(path: string): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  /** Of JSON, or of text and bytes as they are. */
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  put(path: string, body: unknown): Promise<Reply>;
}

export function createSession(url: string, token: string): Session {
  const call = async (method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { "X-Service-Auth-Token": token, ...more },
      ...(body !== undefined && { body: isAsIs(body) ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  return {
    get: (path) => call("GET", path),
    delete: (path) => call("DELETE", path),
    post: (path, body, headers) => call("POST", path, body, headers),
    put: (path, body) => call("PUT", path, body),
  };
}

const isAsIs = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || body instanceof Uint8Array;
