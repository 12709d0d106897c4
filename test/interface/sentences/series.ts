import { section } from "../sentence.ts";

export const current = section("current", "Current values in detail", {
  "lists-are-arrays": "Lists are JSON arrays in current values and in events.",
  "timestamp-fraction": "timestamp is Unix seconds, with a fraction only when the device sent one.",
  aliases: "Aliases are accepted, and the key of the answer is the name as asked.",
  "error-items": "Items of errors have code, message, and details with device and attribute.",
  "error-codes": "The codes are device_not_found, attribute_not_found, no_data and forbidden.",
  "no-devices-400": "A call without any devices[...] is 400.",
  "encoded-brackets": "devices%5Bid%5D works too.",
});

export const series = section("series", "Time series in detail", {
  "half-open-range": "The range includes from and excludes to.",
  "from-before-to": "from >= to is 400.",
  "milliseconds-400": "A number that can only be milliseconds is a 400 that says so.",
  "epoch-buckets": "Buckets are fixed lengths aligned to the Unix epoch, and ts is the start of the bucket.",
  "ts-format": "ts is an integer for whole seconds, and otherwise has milliseconds.",
  "year-365-d": "y is 365 d.",
  "below-1-ms": "A granularity below 1 ms is 400.",
  "row-limit": "More than 1,000,000 rows are 400, which names the limit.",
  "avg-gives-float": "avg of integers or floats gives float, and of anything else is 400.",
  "last-keeps-type": "last keeps the type.",
  "auto-by-type": "auto is avg for integer and float, and last otherwise.",
  "more-aggregations": "min, max, sum, count, first and bool_or work too.",
  "lists-as-text": "array_of_strings and alerts are typed string, as JSON text.",
  "rows-without-filling":
    "Without filling only buckets with a value in some column give a row, and an absent value is an empty cell.",
  "rows-with-locf": "With locf every bucket from the first known value on gives a row.",
  "look-around-window": "look_around is 0 by default, and finds the last value before from only within its window.",
  "method-none": "The method none means no filling.",
  "global-mistake-once":
    "A mistake in a global setting is one error at its own pointer, also where every item overrides it.",
  "inherited-look-around": "An item's locf without look_around inherits the global one.",
  "calendar-granularities": "1d, 1w, 1M and 1y follow the calendar of a timezone.",
  "more-aggregations-yet": "delta, integral and min_max are aggregations too.",
  "other-forms": "Accept chooses other forms than CSV.",
  "attribute-lists": "attribute may be a list, and the limit of 10 counts the attributes.",
  "header-cell": "A header cell is telemetry, device as asked, aggregation as resolved, granularity as asked.",
  "header-cell-filling": "With filling the cell also has gap_filling_method and gap_filling_look_around as asked.",
  "csv-form": "CSV has RFC 4180 quoting, \\n line ends, and true and false for booleans.",
  streams: "The answer streams.",
  "late-points": "Late and out-of-order points are taken, and a point written twice keeps the later write.",
});

export const values = section("values", "Values from devices", {
  "wrong-left-out":
    "A value of the wrong type, outside its enum, NaN or undeclared is left out, counted and logged; the rest is kept.",
  "whole-float-is-integer": "2.0 is a valid integer.",
  "clock-ahead": "A point more than 24 h ahead is refused and logged.",
  "alerts-everywhere": "Alerts are the ids in alerts and in every attribute of type alerts.",
  "alerts-empty": "An empty list means none, and null or nothing means unknown.",
  "alerts-undeclared": "An undeclared id is of severity error with its id as display_name.",
  "alerts-grace-period": "grace_period turns a soft failure hard only after it has lasted that long.",
  "alerts-unconfirmed":
    "Alerts that a device does not repeat for 60 s while it sends other telemetry become UNCONFIRMED.",
  "unconfirmed-not-raised": "UNCONFIRMED alerts stay in lists and history, and leave raised_alert_names.",
  "unconfirmed-end": "UNCONFIRMED alerts end when a list comes without them.",
  "alerts-on-change": "With .busbar: {alerts: on_change} in the manifest the alerts stand.",
  "alerts-while-silent": "While a device is silent its alerts stand.",
  "alert-details": "alert_details is accepted beside any list, and kept with the alert.",
  "alert-known-ids": "not_configured and communication_failed are known ids when they are undeclared.",
  "online-by-connection": "A device with a live connection is ONLINE until its keep-alive lapses, however quiet.",
  "online-by-messages":
    "A device without a connection is ONLINE while messages come, OFFLINE after 30 s of silence, UNKNOWN before the first.",
});
