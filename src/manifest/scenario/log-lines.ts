// Lines that a script is expected to log, or not to log.
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import * as r from "#manifest/reader.ts";
import { expectedText } from "./expected.ts";

const LINE = {
  text: r.withDefault(expectedText, { kind: "present" }, "A text that the line contains."),
  severity: r.may(r.oneOf(LOG_SEVERITIES), "How bad it is."),
} satisfies r.Fields;

export type ExpectedLine = r.ReadFields<typeof LINE>;

const line = r.objectOr("log line", LINE, {
  field: "text",
  takesObjects: true,
  wanted: "a text, or {severity: warning, text: ...}",
});

export const logLines = r.oneOrMore(r.placed(line));
