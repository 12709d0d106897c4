import type { LookupFunction } from "node:net";
import type { AddressSettings as Addresses } from "#outbound/allowed-addresses.ts";

export interface AddressSettings extends Addresses {
  /** Whom it trusts to vouch for servers, besides those whom Node trusts. */
  readonly ca?: string | undefined;
}

/** How one message may leave. */
export interface Way {
  /** Gives allowed addresses only. */
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  readonly ca: string | undefined;
}
