// How large what travels over a link may be. Both sides check what they get, and send nothing larger: a record that would
// not fit is made to fit before it leaves (fit-record.ts), or is left out and reported.

/** A message in its frames. The largest are pieces of stored telemetry and packages, of about a megabyte each. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Its JSON, unpacked. The largest honest record is an execution: arguments, log and response of a megabyte each. */
export const MAX_JSON_BYTES = 4 * 1024 * 1024;

/**
 * Of a whole message. What HTTP takes (64 levels) is nested in a record, which is nested in a message. Parsing 50,000
 * fields takes about 25 ms.
 */
export const MESSAGE_JSON = { depth: 72, values: 50_000, text: 2 * 1024 * 1024 } as const;

/** Of what comes before the bytes of a package or of stored telemetry. */
export const MAX_HEADER_BYTES = 64 * 1024;
export const HEADER_JSON = { depth: 2, values: 20, text: 1_000 } as const;

/** What a side that keeps to the limits puts into one record, so that the message around it fits, too. */
export const RECORD_JSON = { depth: 68, values: 40_000, bytes: 3.5 * 1024 * 1024 } as const;

/** Devices in one message about connectivity. */
export const MAX_CONNECTIVITY = 5_000;

/** Values in a message of plain points. Each is a list of a name and a value. */
export const MAX_PLAIN_VALUES = 10_000;
