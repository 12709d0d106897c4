/** The resources as they stand on the wire, spelt as there. Unknown fields that a newer server adds are simply ignored. */

export type AccessLevel = "readonly" | "user" | "owner" | "installer" | "vendor" | "system";
type AuthorizedRole = Uppercase<AccessLevel>;

export type Location = {
  readonly name: string;
  readonly latitude?: number | null;
  readonly longitude?: number | null;
};

export type Site = {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly version: "V3";
  readonly authorized_role: AuthorizedRole;
  readonly location?: Location | null;
  readonly created_at?: string;
  readonly updated_at?: string;
};

export type Device = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly site_id: string;
  readonly blueprint_id: string | null;
  /** LUA, STANDALONE, GATEWAY, CHILD and the like. */
  readonly type: string;
  readonly parent_id?: string | null;
  readonly child_type?: string | null;
  readonly authorized_role: AuthorizedRole;
  readonly created_at: string;
  readonly updated_at: string;
  /** From here on: present when `expand` asks for it. */
  readonly manifest?: JsonObject | null;
  readonly properties?: JsonObject;
  readonly connectivity?: { readonly status: "ONLINE" | "OFFLINE" | "UNKNOWN" };
  readonly communication?: JsonObject | null;
  readonly raised_alert_names?: readonly string[];
  readonly site?: Site;
};

export type Expansion = "manifest" | "properties" | "connectivity" | "communication" | "raised_alert_names" | "site";

export type CommunicationConfig = {
  readonly mqtt_host: string;
  readonly mqtt_port: number;
  readonly mqtt_protocol: MqttProtocol;
  /** Name and password for MQTT; key, certificate and CA chain for MQTTS. Shown this once. */
  readonly mqtt_credentials: Readonly<Record<string, string>>;
  readonly hardware_id: string;
  readonly channel_id: string;
  readonly time_sync_protocol: string;
  readonly time_sync_host: string;
  readonly time_sync_port: number;
};

export type MqttProtocol = "MQTT" | "MQTTS";

export type Blueprint = {
  readonly id: string;
  readonly created_at: string;
  readonly display_name?: string;
  readonly version?: number;
  readonly digest?: string;
  readonly size?: number;
  readonly implements?: readonly string[];
};

export type Diagnostic = {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  /** JSON pointer into the manifest, or the path of a file in the package. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly end_line?: number;
  readonly end_column?: number;
};

/** What another blueprint changes for a device. */
export type BlueprintChange = {
  readonly kind: string;
  readonly path: string;
  /** What worked before may stop working. */
  readonly breaking: boolean;
  readonly message: string;
};

export type Validation = {
  readonly validation_errors?: readonly string[];
  readonly diagnostics?: readonly Diagnostic[];
};

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
};

export type AuditEntry = {
  readonly id: string;
  readonly at: string;
  /** null: no valid token came with the call, or Busbar itself acted. */
  readonly actor: { readonly token_id: string; readonly name: string } | null;
  readonly action: string;
  readonly target: Readonly<Record<string, string>>;
  readonly outcome: "OK" | "REFUSED";
  readonly code?: string | null;
  readonly request_id: string;
  readonly remote_address: string;
  readonly details: JsonObject;
};

export type ErrorItem = {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonObject;
};

export type JsonObject = { readonly [key: string]: unknown };

/** One page of a list: the items under their plural, and how many there are in all. */
export type Page<Key extends string, Item> = { readonly [K in Key]: readonly Item[] } & {
  readonly total_count: number;
};
