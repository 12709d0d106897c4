// A scenario: what happens to a blueprint's script, step by step, and what it is expected to do. Durations are in
// milliseconds.
import type { JsonValue } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { RegisterLayout } from "#core/modbus/register-value.ts";
import type { ExpectedValue } from "./expected-value.ts";

export interface Scenario {
  readonly name: string;
  readonly description: string;
  /** Wall clock when the script starts, Unix milliseconds. */
  readonly startsAt: number;
  readonly seed: number | undefined;
  readonly isConnected: boolean;
  readonly configuration: Buckets;
  readonly storage: ReadonlyMap<string, string | null>;
  readonly peers: ReadonlyMap<string, Peer>;
  /** Made before the script starts. */
  readonly changes: ReadonlyMap<string, PeerChange>;
  /** Names that the script may send although the manifest does not declare them. */
  readonly allowUndeclared: ReadonlySet<string>;
  readonly steps: readonly Step[];
}

export type Buckets = ReadonlyMap<string, ReadonlyMap<string, JsonValue>>;

export const PEER_KINDS = [
  "modbus",
  "http",
  "can",
  "serial",
  "mqtt",
  "relay",
  "digitalin",
  "digitalout",
  "analogin",
  "analogout",
] as const;
export type PeerKind = (typeof PEER_KINDS)[number];

/** Something that a script talks to. */
export interface Peer {
  readonly kind: PeerKind;
  /** What the script gives to `new`; undefined takes every address. */
  readonly address: string | undefined;
  readonly state: PeerChange;
}

/** The changes of a peer; undefined leaves it as it is. */
export interface PeerChange {
  /** Takes every call and never answers, until the caller's timeout. */
  readonly isSilent: boolean | undefined;
  readonly delay: number | undefined;
  /** The error of every call; null repairs the peer. */
  readonly error: string | null | undefined;
  readonly units: ReadonlyMap<number, ModbusTables> | undefined;
  /** What registers and bits hold that are not listed; null refuses to read them. */
  readonly unlisted: number | null | undefined;
  readonly routes: ReadonlyMap<string, readonly HttpAnswer[]> | undefined;
  readonly frames: readonly PeriodicFrame[] | undefined;
  readonly answers: readonly SerialAnswer[] | undefined;
  readonly isClosed: boolean | undefined;
  readonly isHigh: boolean | undefined;
  readonly counter: number | undefined;
  readonly volts: number | undefined;
  readonly amps: number | undefined;
}

/** First register or bit to what lies there and after it. An error is a Modbus exception. */
export interface ModbusTables {
  readonly holdings: ReadonlyMap<number, readonly number[] | ModbusError>;
  readonly inputs: ReadonlyMap<number, readonly number[] | ModbusError>;
  readonly coils: ReadonlyMap<number, readonly boolean[] | ModbusError>;
  readonly discreteInputs: ReadonlyMap<number, readonly boolean[] | ModbusError>;
}

export interface ModbusError {
  readonly exception: number;
}

export interface HttpAnswer {
  readonly code: number;
  readonly body: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly delay: number | undefined;
  /** The request fails with this text. */
  readonly error: string | undefined;
}

/** Data holds one byte an item. */
export interface Frame {
  readonly id: number;
  readonly data: readonly number[];
}

export interface PeriodicFrame extends Frame {
  /** Undefined: once. */
  readonly every: number | undefined;
}

/** Byte strings: one byte a character. */
export interface SerialAnswer {
  readonly to: string;
  readonly answer: string;
}

export interface MqttMessage {
  readonly topic: string;
  readonly payload: string;
}

/** What peers send on their own. */
export type Sent =
  | { readonly kind: "frames"; readonly frames: readonly Frame[] }
  | { readonly kind: "bytes"; readonly bytes: string }
  | { readonly kind: "messages"; readonly messages: readonly MqttMessage[] };

/** In this order: time passes until `at`, changes are made, the command starts, time passes, expectations are held. */
export interface Step {
  readonly place: Position;
  readonly name: string | undefined;
  /** Since the start of the scenario. */
  readonly at: number | undefined;
  readonly changes: ReadonlyMap<string, PeerChange>;
  readonly sends: ReadonlyMap<string, Sent>;
  readonly configuration: Buckets | undefined;
  readonly storage: ReadonlyMap<string, string | null> | undefined;
  readonly isConnected: boolean | undefined;
  /** What the wall clock is set to, Unix milliseconds. */
  readonly clock: number | undefined;
  /** Ends the script and starts it again; storage stays. */
  readonly restarts: boolean;
  readonly command: StepCommand | undefined;
  /** Exactly this much time passes. */
  readonly wait: number | undefined;
  /** At most this much time may pass until everything expected holds. */
  readonly within: number | undefined;
  readonly expect: Expectations;
}

export interface StepCommand {
  readonly place: Position;
  readonly name: string;
  /** Defaults filled in. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** An expectation, and its place in the scenario. */
export interface Placed<T> {
  readonly place: Position;
  readonly value: T;
}

export interface Expectations {
  readonly telemetry: ReadonlyMap<string, Placed<ExpectedValue>>;
  readonly properties: ReadonlyMap<string, Placed<ExpectedValue>>;
  /** Exactly these are active at the end of the step. */
  readonly activeAlerts: Placed<readonly string[]> | undefined;
  readonly raisedAlerts: readonly Placed<string>[];
  readonly clearedAlerts: readonly Placed<string>[];
  readonly response: Placed<ReadonlyMap<string, Placed<ExpectedValue>>> | undefined;
  readonly error: Placed<ExpectedValue> | undefined;
  readonly progress: readonly Placed<ExpectedValue>[];
  /** The command has not ended. */
  readonly noResponse: Placed<true> | undefined;
  readonly log: readonly Placed<ExpectedLine>[];
  readonly noLog: readonly Placed<ExpectedLine>[];
  /** Uncaught errors of the script that are wanted. */
  readonly luaErrors: readonly Placed<ExpectedValue>[];
  readonly storage: ReadonlyMap<string, Placed<ExpectedValue>>;
  readonly writes: ReadonlyMap<string, Placed<"nothing" | readonly Placed<ExpectedWrite>[]>>;
  readonly requests: ReadonlyMap<string, Placed<"nothing" | readonly Placed<ExpectedRequest>[]>>;
  readonly frames: ReadonlyMap<string, Placed<"nothing" | readonly Placed<Frame>[]>>;
  readonly sent: ReadonlyMap<string, Placed<"nothing" | readonly Placed<string>[]>>;
  readonly published: ReadonlyMap<string, Placed<"nothing" | readonly Placed<ExpectedMessage>[]>>;
  readonly outputs: ReadonlyMap<string, Placed<ExpectedOutput>>;
}

export interface ExpectedLine {
  readonly text: ExpectedValue;
  readonly severity: LogSeverity | undefined;
}

export interface ExpectedWrite {
  /** Undefined: the only unit of the peer, or any. */
  readonly unit: number | undefined;
  readonly table: "holdings" | "coils";
  readonly first: number;
  /** Undefined for coils and for registers as they are. */
  readonly layout: RegisterLayout | undefined;
  readonly value: ExpectedValue;
}

export interface ExpectedRequest {
  readonly method: string;
  /** With its query; a `*` matches anything. */
  readonly path: string;
  readonly body: ExpectedValue | undefined;
  readonly json: ExpectedJson | undefined;
  readonly headers: ReadonlyMap<string, ExpectedValue>;
}

export interface ExpectedMessage {
  readonly topic: string;
  readonly payload: ExpectedValue | undefined;
  readonly json: ExpectedJson | undefined;
}

/** A text read as JSON. Of an object only the listed fields count. */
export type ExpectedJson =
  | ExpectedValue
  | { readonly kind: "fields"; readonly fields: ReadonlyMap<string, ExpectedValue> };

export interface ExpectedOutput {
  readonly isClosed: boolean | undefined;
  readonly isHigh: boolean | undefined;
  readonly volts: ExpectedValue | undefined;
  readonly amps: ExpectedValue | undefined;
}
