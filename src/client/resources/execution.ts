import type { JsonObject } from "./json.ts";

/** A run of a command. */
export type Execution = {
  readonly id: string;
  readonly device_id: string;
  readonly state: ExecutionState;
  readonly ephemeral: boolean;
  readonly created_at: string;
  readonly request: {
    /** As sent: the manifest name or an alias. */
    readonly name: string;
    /** Effective ones, defaults filled in; sensitive ones read `***`. */
    readonly arguments: JsonObject;
    readonly manifest_name: string;
  };
  /** The latest one; absent while the device has not answered. */
  readonly response?: CommandResponse;
  /** All responses, newest first; present when `expand` asks for it. */
  readonly log?: readonly CommandResponse[];
};

export type CommandResponse = {
  readonly state: ResponseState;
  readonly payload?: JsonObject;
  /** With microseconds; strictly rises within one execution. */
  readonly received_at: string;
};

export type ExecutionState = "NEW" | "IN_PROGRESS" | "SUCCESS" | "ERROR" | "TIMEOUT" | "UNSYNC";

export type ResponseState = "STARTED" | "IN_PROGRESS" | "SUCCEEDED" | "ERROR";
