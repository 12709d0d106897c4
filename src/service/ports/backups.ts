import type { Instant } from "#core/time/instant.ts";

export interface LastBackup {
  readonly at: Instant;
  readonly bytes: number;
}

export interface Backups {
  /** Whether the bytes are encrypted, as backup.passphrase or backup.recipients ask. */
  readonly areEncrypted: boolean;
  /**
   * Begins a backup of everything that was acknowledged before this call, and gives its bytes as they are made. Refuses
   * while another one is made. A backup whose bytes are not read to the end is given up.
   */
  send(): Promise<AsyncGenerator<Uint8Array>>;
  /** The last one that is complete; undefined if there is none. */
  last(): LastBackup | undefined;
}
