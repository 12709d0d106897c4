import type { Execution } from "#core/command/execution.ts";
import type { OpenExecution } from "#service/ports/execution-store.ts";

/** With what a change of it needs to know. */
export interface StoredExecution extends OpenExecution {
  readonly groupId: number;
  /** What it holds of its device's room: its arguments, shown and sealed. */
  readonly bytes: number;
  readonly logBytes: number;
}

/** The open executions of a device. */
export interface OpenOf {
  count: number;
  bytes: number;
}

/** What a connection remembers of executions, so that it does not read them back for each response of a device. */
export interface WriteMemory {
  /** Undefined when it is not remembered. */
  execution(id: string): StoredExecution | undefined;
  /** Remembers an open execution as it is stored now. `bytes` is about what its arguments and its response hold. */
  keep(stored: StoredExecution, bytes: number): void;
  /** The execution changes in a way that is not remembered. */
  drop(id: string): void;
  /** Undefined when there is no such group yet. */
  findGroup(execution: Execution): number | undefined;
  /** Undefined when it is not remembered. Whoever opens or closes an execution changes it. */
  openOf(deviceId: string): OpenOf | undefined;
  keepOpenOf(deviceId: string, open: OpenOf): void;
  /** Runs what was held back: for a statement that is sent and needs what `add` and `replace` have said before. */
  release(): void;
}
