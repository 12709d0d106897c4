/** One raising of an alert by one source of a device; active while it has no `cleared_at`. */
export type Alert = {
  readonly id: string;
  readonly device_id: string;
  readonly site_id: string;
  readonly severity: "info" | "warning" | "error";
  readonly state: "SOFT" | "HARD" | "UNCONFIRMED";
  readonly display_name: string;
  readonly description?: string;
  readonly code?: string;
  readonly troubleshooting?: readonly string[];
  readonly components?: readonly string[];
  readonly conditions?: readonly string[];
  readonly telemetry?: readonly string[];
  readonly raised_at: string;
  readonly hardens_at?: string;
  readonly hardened_at?: string;
  /** When a list named an UNCONFIRMED alert for the last time. */
  readonly not_confirmed_since?: string;
  readonly cleared_at?: string;
  /** What the device said about it. */
  readonly details?: string | Readonly<Record<string, unknown>>;
  /** The telemetry attribute that lists it. */
  readonly source: string;
  readonly declared: boolean;
};
