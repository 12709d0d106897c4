// Every failure of a connection is thrown as `ConnectionError`, and the script sees its text.

/**
 * `refused`: not allowed. `missing`: nobody has configured such a port. `invalid`: the call makes no sense. `answer`: the peer sent an answer that it must not send.
 */
export type ConnectionErrorCode =
  | "refused"
  | "missing"
  | "invalid"
  | "connection"
  | "timeout"
  | "busy"
  | "answer"
  | "exception"
  | "closed"
  | "unsupported";

export class ConnectionError extends Error {
  readonly code: ConnectionErrorCode;
  /** The number of a Modbus exception. */
  readonly exception: number | undefined;

  constructor(code: ConnectionErrorCode, message: string, exception?: number) {
    super(message);
    this.name = "ConnectionError";
    this.code = code;
    this.exception = exception;
  }
}
