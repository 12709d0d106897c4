import type { Instant } from "#core/time/instant.ts";
import type { DroppedHistory } from "./gateway-figures.ts";

/** What the encrypted credential of a gateway is bound to. */
export const CREDENTIAL_CONTEXT = "uplink credential";

/** A gateway that has joined this cloud. */
export interface Gateway {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the text with which it signs in. */
  readonly credentialHash: Uint8Array;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | undefined;
  /** Of the program that it last ran. */
  readonly version: string;
  readonly lastSeenAt: Instant | undefined;
  /** To this cloud, whichever of its nodes. */
  readonly isConnected: boolean;
  /** Names its records, once it has connected. Another epoch means other records, such as a restored backup. */
  readonly epoch: string | undefined;
  /** The number of its latest change that is stored here. */
  readonly taken: number;
  /** SHA-256 of the credential that it is about to change over to. */
  readonly nextCredentialHash?: Uint8Array | undefined;
  /** It shall get another credential. */
  readonly mustRotate?: boolean;
  /** Of the link, that it last spoke; undefined: it was not here since this is noted. */
  readonly protocol?: string | undefined;
  /** It has reported, since it connected, what happened while it was away. */
  readonly isCaughtUp?: boolean;
}

/** Lets one gateway join, once. */
export interface JoinCode {
  readonly id: string;
  /** What the gateway is to be called; undefined: as it calls itself. */
  readonly name: string | undefined;
  readonly hash: Uint8Array;
  /** The gateway that joins with it may take over the sites of this one. */
  readonly replaces: string | undefined;
  /** Further sites that it may take over. */
  readonly siteIds: readonly string[];
  readonly madeBy: { readonly tokenId: string; readonly name: string };
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** A code that can still be used, without what would prove that somebody has it. */
export type OpenJoinCode = Omit<JoinCode, "hash">;

/** The cloud that this gateway has joined. */
export interface Uplink {
  readonly url: string;
  readonly gatewayId: string;
  /** The text with which it signs in, encrypted. */
  readonly credential: Uint8Array;
  readonly joinedAt: Instant;
  /** All telemetry before this time has yet to be uploaded; undefined: there is none. */
  readonly historyBefore: Instant | undefined;
  /** The cloud has confirmed all changes up to this number, and not all of them can be sent again one by one. */
  readonly confirmed: number;
  /** When it was last connected. */
  readonly contactAt?: Instant | undefined;
  /** The credential that replaces the present one, encrypted, until the cloud accepts it. */
  readonly nextCredential?: Uint8Array | undefined;
  /** The one before the present one, encrypted in the same way. A restored cloud may know only it. */
  readonly formerCredential?: Uint8Array | undefined;
  /** Since when it has the present credential; undefined: since it joined. */
  readonly credentialAt?: Instant | undefined;
  /** Names the cloud's records that have everything of here; undefined: none have yet. */
  readonly cloudEpoch?: string | undefined;
  /** What the cloud never gets. */
  readonly dropped?: DroppedHistory;
}
