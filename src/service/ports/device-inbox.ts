import type { LogMessage, ResponseMessage, ValuesMessage } from "#core/device/device-message.ts";

/** How a device reaches us. LOCALHOST: without encryption, from this machine. */
export type ConnectionKind = "PLAINTEXT" | "TLS" | "LOCALHOST";

/** What a carrier reports about its devices. Every promise resolves when the report is durable. */
export interface DeviceInbox {
  /** The device that may sign in with this name and secret, or undefined. Takes the same time either way. */
  signIn(hardwareId: string, secret: string, remoteAddress: string): Promise<SignedIn | undefined>;
  /** The device behind a certificate's hardware id, whose issuer the carrier has checked. */
  signInByCertificate(hardwareId: string, fingerprint: string, remoteAddress: string): Promise<SignedIn | undefined>;
  /** The device can be reached: waiting commands are handed over now. */
  reachable(deviceId: string): void;
  /** It has a connection whose keep-alive the carrier watches, until `unreachable`. */
  connected(deviceId: string, kind?: ConnectionKind): void;
  /** Its last connection has gone. */
  unreachable(deviceId: string): void;
  /** Any sign of life, however small. */
  alive(deviceId: string): void;
  /** The child of a device that has this channel. Only its parents may speak and listen for it. */
  child(deviceId: string, channelId: string): Promise<Child | undefined>;
  /** All children of a device, near and far. */
  children(deviceId: string): Promise<readonly Child[]>;
  /**
   * A device announces a child: it is made if it is unknown and the settings allow it, and its properties are taken.
   */
  registerChild(deviceId: string, channelId: string, message: ValuesMessage): Promise<void>;
  /** Messages that become durable together may get the same promise. The values are read before it returns. */
  telemetry(deviceId: string, message: ValuesMessage): Promise<void>;
  properties(deviceId: string, message: ValuesMessage): Promise<void>;
  log(deviceId: string, message: LogMessage): Promise<void>;
  response(deviceId: string, message: ResponseMessage): Promise<void>;
  /** A message could not be understood. It is counted and noted in the device's log. */
  malformed(deviceId: string, problem: string): Promise<void>;
}

/** A device that is reached over another one. */
export interface Child {
  readonly deviceId: string;
  readonly channelId: string;
}

export interface SignedIn {
  readonly deviceId: string;
  readonly hardwareId: string;
  readonly channelId: string;
  /** Which secret it signed in with, where we checked that; see `credentialKey`. */
  readonly credential?: string;
}
