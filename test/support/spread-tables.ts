// Which tables can be spread over several database servers, as Citus does it, and by which column: all primary and unique
// keys of such a table contain the column. docs/deploy.md says the same.

export const SPREAD: Readonly<Record<string, string>> = {
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
  rollout_device: "device_id",
  script_storage: "device_id",
  simulation: "device_id",
  telemetry_chunk: "device",
  telemetry_held: "device_id",
  telemetry_journal: "partition",
  telemetry_latest: "device",
  telemetry_partition: "partition",
  telemetry_segment: "device",
  telemetry_series: "device",
};

/** Written rarely and read by everybody: a copy on every server (a reference table of Citus). */
export const EVERYWHERE = "a copy on every server";
const ORDERED = "one order for all, on one server: it has to be split before it is too much for one";
const SMALL = "small, on one server";

export const NOT_SPREAD: Readonly<Record<string, string>> = {
  // Its rows change rarely. Slugs are unique within a site, and devices sign in by the hardware id.
  device: EVERYWHERE,
  device_credential: EVERYWHERE,
  site: EVERYWHERE,
  blueprint: EVERYWHERE,
  blueprint_content: EVERYWHERE,
  device_profile: EVERYWHERE,
  rollout: EVERYWHERE,
  telemetry_device: EVERYWHERE,
  telemetry_retention: EVERYWHERE,
  site_tariff: EVERYWHERE,
  site_price: EVERYWHERE,
  price_source: EVERYWHERE,
  audit: ORDERED,
  event: ORDERED,
  webhook_delivery: ORDERED,
  // Its executions are spread.
  bulk_command: SMALL,
  bulk_member: SMALL,
  node_note: SMALL,
  change_base: EVERYWHERE,
  telemetry_base: EVERYWHERE,
  execution_change: SMALL,
  installation: SMALL,
  migration: SMALL,
  token: SMALL,
  session: SMALL,
  sign_in_code: SMALL,
  setting: SMALL,
  saved_view: SMALL,
  webhook: SMALL,
  epoch: SMALL,
  gateway: SMALL,
  gateway_change: SMALL,
  gateway_refusal: SMALL,
  join_code: SMALL,
  site_grant: SMALL,
  link_change: SMALL,
  link_hour: SMALL,
  uplink: SMALL,
};
