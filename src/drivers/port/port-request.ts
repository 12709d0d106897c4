/** What a script wants of a port. */
export type PortUse = "modbus" | "serial" | "can" | "relay" | "digitalin" | "digitalout" | "analogin" | "analogout";
/** What a port of levels can be asked for. A state is 0 or 1. */
export type Quantity = "state" | "volts" | "amps" | "temperature" | "counter";

export interface CanFilter {
  readonly ids: readonly number[];
  /** Frames kept per id. */
  readonly size: number;
  /** When there is no room: the oldest frame goes, or the new one is not taken. */
  readonly drop: "oldest" | "newest";
}

/** Plain data, so that it passes between threads. Every wait is bounded. */
export type PortRequest =
  /** Whether there is such a port for such a use; parameters as in `port://rs485?baud_rate=9600`. */
  | { readonly op: "open"; readonly use: PortUse; readonly parameters: readonly (readonly [string, string])[] }
  | { readonly op: "modbus"; readonly unit: number; readonly pdu: Uint8Array; readonly timeoutMs: number }
  | { readonly op: "serial.read"; readonly count: number; readonly timeoutMs: number }
  /** What arrives in one go, at most so many bytes. */
  | { readonly op: "serial.receive"; readonly count: number; readonly timeoutMs: number }
  | { readonly op: "serial.write"; readonly data: Uint8Array }
  | { readonly op: "serial.flush" }
  /** Between the two no other device uses the port. */
  | { readonly op: "serial.lock" }
  | { readonly op: "serial.unlock" }
  | { readonly op: "can.send"; readonly id: number; readonly data: Uint8Array }
  | { readonly op: "can.listen"; readonly filter: CanFilter }
  /** Frames per id, in the order of the ids, and how many were dropped since the last time. */
  | { readonly op: "can.take"; readonly listener: number; readonly ids: readonly number[] }
  | { readonly op: "can.drops"; readonly listener: number; readonly id: number }
  /** Keeps frames of every id in the order of their arrival; a full log drops the oldest. */
  | { readonly op: "can.log"; readonly size: number }
  | { readonly op: "can.take_log"; readonly listener: number }
  | { readonly op: "level.read"; readonly quantity: Quantity }
  | { readonly op: "level.write"; readonly quantity: Quantity; readonly value: number }
  /** Switches to the other state for this long; any write meanwhile ends it. */
  | { readonly op: "level.impulse"; readonly ms: number };

export type PortAnswer = undefined | number | Uint8Array | readonly (readonly Uint8Array[])[] | LoggedFrames;

export interface LoggedFrames {
  readonly frames: readonly { readonly id: number; readonly data: Uint8Array }[];
  /** How many were dropped since the last time. */
  readonly dropped: number;
}

/** One device's use of ports that others use too. Throws `ConnectionError`. */
export interface PortSession {
  call(port: string, request: PortRequest): Promise<PortAnswer>;
  /** Releases what is held, and ends what waits. */
  close(): void;
}
