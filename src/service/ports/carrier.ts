import type { Execution, ExecutionCaller, Payload } from "#core/command/execution.ts";

/** A command on its way to a device. The id is the execution's, so that a device can recognise a repetition. */
export interface OutgoingCommand {
  readonly id: string;
  readonly name: string;
  readonly arguments: Payload;
  /** For a side that stores the execution, too. */
  readonly caller?: ExecutionCaller | undefined;
}

/**
 * What happened to a command that was given to a channel. `not_sent` means that it certainly did not reach the device,
 * so it may be handed over again. `unknown` means that it may have reached the device: it is never handed over again.
 * `accepted` means that another side owns the execution from now on, `unanswered` that it may: only that side knows. `reported`
 * means that it has reported the execution, and the report is stored.
 */
export type HandOver =
  | "handed_over"
  | "not_sent"
  | "unknown"
  | "accepted"
  | "reported"
  | "unanswered"
  /** The other side will not run it, and says why. */
  | { readonly refused: string };

/**
 * The way to the devices, with one implementation per carrier. This is the only difference between MQTT, Lua and the
 * link.
 */
export interface CommandChannel {
  /** Whether a command handed over now would reach the device at once. */
  isReady(deviceId: string): boolean;
  /**
   * Hands a command over, never twice. A rejection is a fault of the channel and counts as `unknown`. Only a channel to a
   * side that stores the execution too needs the execution.
   */
  send(deviceId: string, command: OutgoingCommand, execution?: Execution): Promise<HandOver>;
  /**
   * Asks the side that may own the execution what it knows of it. The answer comes as a change of the execution. Absent
   * where no other side owns executions.
   */
  ask?(deviceId: string, executionId: string): void;
  /**
   * Sends the device its configuration and the names of the buckets that were just written. A device that is away gets
   * it when it returns.
   */
  sendConfiguration(deviceId: string, configuration: DeviceConfiguration, written: readonly string[]): Promise<void>;
}

/** The way to a device of type CHILD: over the connection of another device, on a channel of its own. */
export interface ChildAddress {
  readonly childId: string;
  /** The device that holds the connection. */
  readonly carrierId: string;
  readonly channelId: string;
}

/** As `CommandChannel`, for devices behind others. */
export interface ChildChannel {
  isReady(child: ChildAddress): boolean;
  send(child: ChildAddress, command: OutgoingCommand): Promise<HandOver>;
  sendConfiguration(child: ChildAddress, configuration: DeviceConfiguration, written: readonly string[]): Promise<void>;
}

/** A channel that also holds the devices' connections. */
export interface Carrier extends CommandChannel {
  /** Absent where devices have no children. */
  readonly children?: ChildChannel;
  /**
   * Ends the device's connections, because its credentials are void or it was deleted. Connections that signed in with
   * the valid credential stay.
   */
  disconnect(deviceId: string, valid?: string): void;
}

/** Bucket to parameter to value, with defaults filled in and sensitive values in the clear. */
export type DeviceConfiguration = ReadonlyMap<string, Payload>;

/** Creates the key and certificate with which a device signs in over TLS. All texts are PEM. */
export type IssueCertificate = (hardwareId: string) => {
  readonly privateKey: string;
  readonly certificate: string;
  /** The certificate that the device trusts. */
  readonly caChain: string;
  /** Identifies the device. */
  readonly fingerprint: string;
};
