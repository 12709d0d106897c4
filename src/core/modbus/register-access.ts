import type { Span } from "./modbus-map.ts";

/** Why registers could not be read or written. */
export interface AccessFailure {
  readonly failure: string;
  /**
   * `exception`: the device answered and refused. `silence`: no answer in time. `unreachable`: there is no connection,
   * so that asking again at once is of no use.
   */
  readonly kind: "exception" | "silence" | "unreachable";
  /** The number of the exception. */
  readonly exception?: number | undefined;
}

/** The registers of a device, over whatever line. */
export interface RegisterAccess {
  /** As many numbers as were asked for; bits are 0 and 1. */
  read(span: Span): Promise<readonly number[] | AccessFailure>;
  write(span: Omit<Span, "count">, registers: readonly number[]): Promise<AccessFailure | undefined>;
}

export function isFailure(answer: readonly number[] | AccessFailure): answer is AccessFailure {
  return !Array.isArray(answer);
}

const ILLEGAL_ADDRESS = 2;
const ILLEGAL_VALUE = 3;

/** Whether the device refuses these registers, so that fewer of them might be read. */
export function isRefusedRange({ exception }: AccessFailure): boolean {
  return exception === ILLEGAL_ADDRESS || exception === ILLEGAL_VALUE;
}
