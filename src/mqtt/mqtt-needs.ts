import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import type { Instant } from "#core/time/instant.ts";
import type { ChildChannel, CommandChannel, DeviceConfiguration } from "#service/ports/carrier.ts";
import type { DeviceInbox } from "#service/ports/device-inbox.ts";

/** The part of the process log that the carrier uses. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface MqttNeeds {
  readonly inbox: DeviceInbox;
  readonly log: Log;
  readonly now: () => Instant;
  readonly shares: Pick<Shares, "watch">;
  readonly budgets: Pick<ByteBudgets, "watch">;
  /** What a device is sent as soon as it listens; undefined when it has no configuration. */
  readonly configurationOf: (deviceId: string) => Promise<DeviceConfiguration | undefined>;
}

export interface Broker {
  readonly channel: CommandChannel & { readonly children: ChildChannel };
  /**
   * Ends the device's connections, so that it has to sign in again: after its credentials changed or it was deleted.
   */
  disconnect(deviceId: string, valid?: string): void;
  /** Accepts no more messages, waits a moment for those in progress, and closes. */
  stop(): Promise<void>;
}
