import type { Payload } from "#core/command/execution.ts";

/** A command on its way to a device. The id is the execution's, so that a device can tell a repetition. */
export interface OutgoingCommand {
  readonly id: string;
  readonly name: string;
  readonly arguments: Payload;
}

/**
 * What became of a command that was given to a channel. `not_sent` means that it certainly did not reach the device, so that
 * it may be handed over again. `unknown` means that it may have: it is never handed over again.
 */
export type HandOver = "handed_over" | "not_sent" | "unknown";

/** The way to the devices. One implementation per carrier; only this differs between MQTT, Lua and the link. */
export interface CommandChannel {
  /** Whether a command handed over now would reach the device at once. */
  isReady(deviceId: string): boolean;
  /** Hands a command over, never twice. A rejection is a fault of the channel and counts as `unknown`. */
  send(deviceId: string, command: OutgoingCommand): Promise<HandOver>;
  /** Tells the device its configuration, and which buckets were just written; a device that is away learns it when it returns. */
  sendConfiguration(deviceId: string, configuration: DeviceConfiguration, written: readonly string[]): Promise<void>;
}

/** A channel that also holds the devices' connections. */
export interface Carrier extends CommandChannel {
  /** Ends the device's connections: its credentials are void, or it is gone. */
  disconnect(deviceId: string): void;
}

/** Bucket to parameter to value, with defaults filled in and sensitive values in the clear. */
export type DeviceConfiguration = ReadonlyMap<string, Payload>;

/** Makes the key and certificate by which a device signs in over TLS. All texts are PEM. */
export type IssueCertificate = (hardwareId: string) => {
  readonly privateKey: string;
  readonly certificate: string;
  /** What the device trusts. */
  readonly caChain: string;
  /** By which the device is recognised. */
  readonly fingerprint: string;
};
