import { section } from "../sentence.ts";

export const now = section("now", "Current values", {
  value: "A snapshot's value is a text, a number or a boolean; that of a list is a JSON array.",
  timestamp: "A snapshot's timestamp is a Unix timestamp.",
  "keyed-by-attribute": "The values of a device are an object by attribute name.",
  served: "GET /telemetry/v1/now is served by a gateway, also below /api.",
  latest: "It gives the latest values of the requested attributes.",
  devices: "devices[<device_id>]=<attribute>,<attribute> names devices and attributes, and is required.",
  answer: "The answer has status 200, devices with what was read, and errors with what failed.",
});

export const timeseries = section("timeseries", "Time series", {
  served: "POST /telemetry/v1/timeseries is served by a gateway, also below /api.",
  "ordered-in-time": "The measurements are ordered in time.",
  "accept-csv": "Accept: text/csv is fine, and the answer is CSV.",
  "range-formats": "from and to are Unix timestamps or RFC 3339 texts.",
  "range-required": "from and to are required.",
  "aggregation-auto": "auto is avg or last, by the type of the data.",
  "aggregation-avg": "avg is the arithmetic mean.",
  "aggregation-last": "last is the last known value.",
  granularity: "granularity is the interval of the time buckets.",
  "telemetry-required": "telemetry is required.",
  "at-most-10": "telemetry has at most 10 items.",
  "only-locf": "The only method of gap filling is locf, which carries the last observation forward.",
  "look-around": "look_around is how far into the past to look for values outside the range.",
  "one-attribute": "An item names a device and an attribute as in the manifest.",
  "item-overrides-aggregation": "An item's aggregation overrides the global one, and is required without a global one.",
  "item-overrides-granularity": "An item's granularity overrides the global one, and is required without a global one.",
  "item-overrides-filling": "An item's gap filling overrides the global one.",
  durations: "A duration is a sequence of decimal numbers with units ns, us, ms, s, m, h, d, y.",
  csv: "Success is status 200 with Content-Type text/csv.",
  "first-column": "The first row is a header, and its first cell is ts, a Unix timestamp.",
  "header-cells": "Every other header cell is a list of key=value pairs, separated by spaces.",
  rows: "Each following row is one measurement at the time of its first cell.",
  "data-types": "X-Service-Timeseries-Data-Types lists the type of each data column, separated by commas.",
  "data-type-names": "The types are float, integer, string and boolean.",
  failure: "A failure is JSON with Content-Type application/json and an errors array.",
});

export const general = section("general", "Authentication, errors, limits, versions", {
  "token-header": "Every endpoint takes X-Service-Auth-Token.",
  "level-property": "A property is read with its access level.",
  "level-telemetry": "Telemetry is read with its access level.",
  "level-execute": "A command is run with its access level.",
  "level-read-executions": "Execution logs are read with the read access level of their command.",
  "level-configuration": "A configuration bucket is used with its access level.",
  "series-failure": "A failed time series is status 400 with JSON and an errors array.",
  "now-failure": "Current values that could not be read are reported in errors next to devices, with status 200.",
  "execution-failure":
    "A failed command is an execution in state ERROR whose latest response has state ERROR and a message.",
  "execution-timeout": "An execution that does not finish in time takes state TIMEOUT.",
  "limit-series": "A time series has at most 10 attributes.",
  "limit-ephemeral": "An ephemeral execution lives for 24 hours.",
  "version-commands": "Command endpoints have v3 in their path.",
  "version-telemetry": "Telemetry endpoints have v1 in their path.",
  "version-manifest": "The version of a manifest is blueprint_spec, and device/3.0 is the only one.",
});
