// Where each table is when the database is spread over several servers, and why. docs/decisions/one-order-and-many-servers.md
// says the same.
import { EVERYWHERE, SPREAD, SPREAD_TELEMETRY } from "#store/postgres/spread-tables.ts";

/** By which column rows can be told apart: all primary and unique keys of such a table contain it. */
export const KEYED: Readonly<Record<string, string>> = {
  ...SPREAD,
  ...Object.fromEntries(SPREAD_TELEMETRY.map((table) => [table, "partition"])),
};

const COPIED = "a copy on every server";
const ORDERED = "one order for all, on the coordinator: it has to be split before it is too much for one server";
const SMALL = "small, on the coordinator";

export const NOT_SPREAD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(EVERYWHERE.map((table) => [table, COPIED])),
  // Slugs are unique within a site, and devices sign in by the hardware id.
  device_credential: SMALL,
  site: SMALL,
  blueprint: SMALL,
  blueprint_content: SMALL,
  device_profile: SMALL,
  rollout: SMALL,
  rollout_device: SMALL,
  telemetry_device: SMALL,
  // They are numbered by the database, once for each series.
  telemetry_series: SMALL,
  telemetry_held: SMALL,
  telemetry_retention: SMALL,
  site_tariff: SMALL,
  site_price: SMALL,
  price_source: SMALL,
  site_interlock: SMALL,
  site_rule: SMALL,
  rule_engine: SMALL,
  rule_report: SMALL,
  site_variable: SMALL,
  site_calendar: SMALL,
  maintenance_window: SMALL,
  notification_channel: SMALL,
  notification_route: SMALL,
  // Small: a site has a limited number of rules, and each has a limited log.
  rule_storage: SMALL,
  rule_log: SMALL,
  rule_memory: SMALL,
  rule_trace: SMALL,
  audit: ORDERED,
  event: ORDERED,
  event_site: SMALL,
  event_tally: SMALL,
  webhook_delivery: ORDERED,
  notification: ORDERED,
  notification_message: ORDERED,
  notification_watch: SMALL,
  notification_read: SMALL,
  // Its executions are spread.
  bulk_command: SMALL,
  bulk_member: SMALL,
  command_schedule: SMALL,
  schedule_run: SMALL,
  node_note: SMALL,
  change_base: SMALL,
  execution_change: SMALL,
  installation: SMALL,
  migration: SMALL,
  token: SMALL,
  account: SMALL,
  account_invitation: SMALL,
  sign_in_attempt: SMALL,
  second_factor: SMALL,
  recovery_code: SMALL,
  sign_in_step: SMALL,
  sign_in_place: SMALL,
  passkey: SMALL,
  used_challenge: SMALL,
  session: SMALL,
  sign_in_code: SMALL,
  terminal_sign_in: SMALL,
  provider_sign_in: SMALL,
  setting: SMALL,
  saved_view: SMALL,
  webhook: SMALL,
  epoch: SMALL,
  gateway: SMALL,
  gateway_change: SMALL,
  gateway_question: SMALL,
  gateway_refusal: SMALL,
  join_code: SMALL,
  site_grant: SMALL,
  link_change: SMALL,
  link_hour: SMALL,
  uplink: SMALL,
};
