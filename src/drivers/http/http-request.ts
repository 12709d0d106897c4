export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Accepts any certificate. */
  readonly isInsecure: boolean;
  /** Cookies are kept from answer to request under this number. */
  readonly jar: number | undefined;
}

export interface HttpAnswer {
  readonly code: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}
