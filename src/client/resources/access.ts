import type { JsonObject } from "./json.ts";

export type AccessLevel = "readonly" | "user" | "owner" | "installer" | "vendor" | "system";

export type AuthorizedRole = Uppercase<AccessLevel>;

/** What a token may do, as it is told to the token itself. */
export type OwnToken = Pick<Token, "id" | "name" | "level" | "site_ids">;

export type Token = {
  readonly id: string;
  readonly name: string;
  readonly level: AccessLevel;
  /** null: all sites. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  readonly from_cloud: boolean;
};

/** A sign-in of the page. It stands for a token. */
export type Session = {
  readonly id: string;
  readonly token_id: string;
  readonly token_name: string;
  readonly level: AccessLevel;
  /** null: all sites. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string;
};

export type ListedSession = Session & {
  readonly last_used_at: string;
  /** The address that signed in. */
  readonly from: string;
  readonly user_agent: string;
  /** Whether it is the session of this call. */
  readonly current: boolean;
};

export type AuditEntry = {
  readonly id: string;
  readonly at: string;
  /** How many calls the entry counts, from `at` to `last_at`: repeated refusals are one entry. */
  readonly count: number;
  readonly last_at: string;
  /** null: no valid token came with the call, or Busbar itself acted. */
  readonly actor: { readonly token_id: string; readonly name: string } | null;
  /** The gateway that reported the entry to this cloud: everything in it is as the gateway says. null: written here. */
  readonly reported_by: string | null;
  readonly action: string;
  readonly target: {
    readonly site_id?: string;
    readonly device_id?: string;
    readonly blueprint_id?: string;
    readonly token_id?: string;
  };
  readonly outcome: "OK" | "REFUSED";
  readonly code?: string;
  readonly request_id: string;
  readonly remote_address: string;
  readonly details: JsonObject;
};
