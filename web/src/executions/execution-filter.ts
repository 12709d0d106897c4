// The filters of a list of executions. In the address they have the names of the interface.
import type { Execution, Queries } from "#client/resources.ts";
import { EXECUTION_STATES } from "#core/command/execution.ts";
import type { Query } from "#web/router/query.ts";
import { durationOf, endOf, messageOf } from "./execution-view.ts";

const PAGE_SIZE = 50;
const LARGEST_PAGE = 500;
const RETENTIONS = ["PERSISTENT", "EPHEMERAL", "ALL"] as const;

/** Every filter that the screen has; removing them all shows everything. */
export const FILTER_NAMES = [
  "state.in",
  "name.in",
  "created_at.gte",
  "created_at.lt",
  "retention",
  "order",
  "device_id.in",
  "device.profiles.has_all",
  "device.child_type.in",
  "device.parent_id.in",
] as const;

/** What is not understood is left out, so that a mistyped address shows more, not an error. */
export function readFilter(
  query: Query,
): Queries["listSiteCommandExecutions"] & { readonly limit: number; readonly offset: number } {
  const list = (name: string) => {
    const items = query.list(name);
    return items.length === 0 ? undefined : items;
  };
  return {
    "state.in": query.choice("state.in", EXECUTION_STATES),
    "name.in": list("name.in"),
    "created_at.gte": query.moment("created_at.gte"),
    "created_at.lt": query.moment("created_at.lt"),
    retention: RETENTIONS.find((one) => one === query.text("retention")),
    order: query.text("order") === "CREATED_AT_ASC" ? "CREATED_AT_ASC" : undefined,
    "device_id.in": list("device_id.in"),
    "device.profiles.has_all": list("device.profiles.has_all"),
    "device.child_type.in": list("device.child_type.in"),
    "device.parent_id.in": list("device.parent_id.in"),
    limit: Math.min(whole(query.number("limit"), PAGE_SIZE) || PAGE_SIZE, LARGEST_PAGE),
    offset: whole(query.number("offset"), 0),
  };
}

function whole(value: number | undefined, otherwise: number): number {
  return value === undefined || value < 0 ? otherwise : Math.floor(value);
}

export function countFilters(query: Query): number {
  return FILTER_NAMES.filter((name) => query.text(name) !== undefined).length;
}

export const CSV_HEADER = [
  "id",
  "device_id",
  "device",
  "command",
  "state",
  "ephemeral",
  "created_at",
  "answered_at",
  "duration_s",
  "arguments",
  "message",
  "response",
];

export function csvRow(execution: Execution, deviceName: string | undefined) {
  const duration = endOf(execution) === undefined ? undefined : durationOf(execution, 0);
  return [
    execution.id,
    execution.device_id,
    deviceName,
    execution.request.manifest_name,
    execution.state,
    execution.ephemeral,
    execution.created_at,
    execution.response?.received_at,
    duration === undefined ? undefined : duration / 1000,
    JSON.stringify(execution.request.arguments),
    messageOf(execution.response?.payload),
    execution.response?.payload === undefined ? undefined : JSON.stringify(execution.response.payload),
  ];
}
