// What a store needs to write: the writes by name, and the promise that each is durable when it resolves.
import type { Execution } from "#core/command/execution.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import type { Writes } from "./writes.ts";

export type WriteInput<Name extends keyof Writes> = Parameters<Writes[Name]["run"]>[1];
type Results = { readonly [Name in keyof Writes]: Awaited<ReturnType<Writes[Name]["run"]>> };
export type WriteResult<Name extends keyof Writes> = Results[Name];

export interface WriteHints<Name extends keyof Writes> {
  /** About what the input holds, where the caller knows; else the input is measured. */
  readonly bytes?: number;
  /**
   * The execution as it is in an event of the write, which is not sent between the threads once more. The place of the
   * event counts from 0 for one with several.
   */
  readonly changed?: (result: WriteResult<Name>, place: number) => Execution | undefined;
}

export interface Writer {
  run<Name extends keyof Writes>(
    name: Name,
    input: WriteInput<Name>,
    hints?: WriteHints<Name>,
  ): Promise<WriteResult<Name>>;
  /** Bytes that wait to be stored. */
  readonly buffer: BufferUse;
  /** Resolves when everything handed over before is stored or refused, and the database is closed. */
  close(): Promise<void>;
}
