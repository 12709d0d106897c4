// Where each table is when the database is spread over several servers by Citus: docs/decisions/one-order-and-many-servers.md.

/** Spread by this column, which all primary and unique keys of the table contain. Those with the same column lie together. */
export const SPREAD: Readonly<Record<string, "device_id">> = {
  alert: "device_id",
  control_claim: "device_id",
  control_history: "device_id",
  control_state: "device_id",
  counter_correction: "device_id",
  device_configuration: "device_id",
  device_log: "device_id",
  device_log_size: "device_id",
  device_property: "device_id",
  execution: "device_id",
  execution_day: "device_id",
  execution_group: "device_id",
  execution_hour: "device_id",
  execution_response: "device_id",
  idempotency: "device_id",
  script_storage: "device_id",
  simulation: "device_id",
};

/**
 * Telemetry, spread by the number of the partition. Each of the partitions is in a part of its own, with all of its rows: whatever
 * changes it is a transaction of one server. The first table is the one beside which the others lie.
 */
export const SPREAD_TELEMETRY: readonly string[] = [
  "telemetry_partition",
  "telemetry_number",
  "telemetry_journal",
  "telemetry_segment",
  "telemetry_chunk",
  "telemetry_latest",
];
/** As many as there are partitions. */
export const TELEMETRY_PARTS = 16;

/** Written rarely, and spread tables refer to them: a copy on every server. */
export const EVERYWHERE: readonly string[] = ["device"];
