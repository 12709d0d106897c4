// What Citus sends to all parts of a spread table, why, and what bounds it.

interface Scattered {
  readonly matches: RegExp;
  readonly reason: string;
  readonly bound: string;
}

export const SCATTERED: readonly Scattered[] = [
  {
    matches: /^SELECT (?:device_id, source|count\(\*\) AS total|state|severity).* FROM alert\b/,
    reason: "a list of alerts of sites, or of several devices",
    bound: "its page",
  },
  {
    matches: /^SELECT .* FROM execution_group WHERE /,
    reason: "the groups of a list of executions of sites, or of several devices",
    bound: "one step into an index of each part; the executions are then asked of their devices' parts",
  },
  {
    matches: /^SELECT id, \(SELECT created_at FROM execution WHERE group_id = g\.id AND device_id = g\.device_id/,
    reason: "the first executions of the groups of such a list",
    bound: "one execution of each group",
  },
  {
    matches: /^SELECT (?:.*) FROM (?:device_property|counter_correction) WHERE device_id = ANY/,
    reason: "what several devices have",
    bound: "the devices that are named",
  },
  {
    matches: /^(?:SELECT|UPDATE) .*execution\b.* WHERE (?:e\.)?id = (?:\$1|ANY)/,
    reason: "an execution whose caller knows its id alone, or several of them",
    bound: "one step into an index of each part",
  },
  {
    matches: /^SELECT .* FROM (?:execution|execution_response) WHERE execution_id = \$1/,
    reason: "the log of an execution whose caller knows its id alone",
    bound: "as one of a known device",
  },
  { matches: /^UPDATE execution SET attempted = [01] WHERE id = \$/, reason: "the same", bound: "one execution" },
  {
    matches: /^SELECT DISTINCT device_id FROM execution WHERE is_open = 1 AND attempted = 0/,
    reason: "for which devices of a gateway that has connected something waits",
    bound: "the devices of one gateway, a thousand at a time",
  },
  {
    matches: /^SELECT .* FROM execution WHERE (?:is_open = 1|.*deadline <= )/,
    reason: "what is open, at the start of a node, and what is overdue",
    bound: "its page",
  },
  {
    matches: /^SELECT .*changed.* FROM execution WHERE changed [<>]|^SELECT coalesce\(max\(latest\), 0\)/,
    reason: "changes in their order, for a link",
    bound: "its page",
  },
  {
    matches: /^SELECT id, created_at, group_id FROM execution WHERE site_id = \$1 AND created_at >= /,
    reason: "a list of executions of a site, which has devices on all servers",
    bound: "its page",
  },
  {
    matches: /^SELECT .* WHERE g\.site_id = \$1|^UPDATE execution SET revision = 0 WHERE site_id/,
    reason: "executions of a gateway that has come back, or has new records",
    bound: "what is open there; its page",
  },
  {
    matches: /^DELETE FROM (?:alert|control_history|device_log|idempotency) WHERE \(/,
    reason: "a chore that deletes what is old",
    bound: "so many rows at a time",
  },
  {
    matches:
      /^SELECT DISTINCT device_id FROM execution_group|^SELECT e\.id, e\.device_id, e\.changed FROM execution_group/,
    reason: "the chore that deletes ephemeral executions",
    bound: "so many at a time",
  },
  {
    matches: /FROM control_(?:claim|state|history)\b/,
    reason: "controls at the start of a node, and of a site for its list",
    bound: "the devices that have any",
  },
];

/** The same of telemetry, whose tables are spread by partition. */
export const SCATTERED_TELEMETRY: readonly Scattered[] = [
  {
    matches: /^SELECT DISTINCT floor\(start \/ .* FROM telemetry_segment WHERE span = /,
    reason: "days whose hours a node joins, of the partitions that it has claimed",
    bound: "hours that are not joined yet, by an index",
  },
  {
    matches: /telemetry_journal WHERE is_damaged = 1/,
    reason: "damaged rows, at the start of a node",
    bound: "one row, or all of them if the operator wants to forget them",
  },
  {
    matches: /^SELECT sum\(result::float8\) AS chunks FROM run_command_on_shards/,
    reason: "how many chunks there are, for the figures",
    bound: "a number of each part, which PostgreSQL has counted itself",
  },
];
