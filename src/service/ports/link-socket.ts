/** One connection of a link, whichever side opened it. */
export interface LinkSocket {
  /** Resolves when the system has taken the frame; rejects when the connection has ended. */
  send(frame: Uint8Array): Promise<void>;
  /** Frames in their order until the connection ends. The next one is read when the former was taken. */
  readonly frames: AsyncIterable<Uint8Array>;
  /** The reason is sent to the other side. A second call does nothing. */
  close(reason: string): void;
  /** Why the other side has closed the connection, if it said so. */
  reason?(): string | undefined;
}

/**
 * Opens a connection to a cloud. Rejects when it refuses or cannot be reached, with words for people. When the cloud does not
 * accept the credential, the refusal is `unauthorized`.
 */
export type OpenLinkSocket = (url: string, credential: string, signal: AbortSignal) => Promise<LinkSocket>;

/** Exchanges a code for a credential. Refuses with what the cloud says, or why it cannot be reached. */
export type AskCloud = (
  url: string,
  request: { readonly code: string; readonly name: string; readonly version: string },
) => Promise<{ readonly gatewayId: string; readonly credential: string }>;
