// Reads what an interlock demands, as a gateway reports it and as it is stored.
import type { InterlockReport } from "#core/interlock/interlock-report.ts";
import { INTERLOCK_STATES } from "#core/interlock/outcome.ts";
import { PROBLEM_CODES } from "#core/text/document-reader.ts";
import { type Fields, flag, list, moment, number, object, optionalText, text, word } from "./message-fields.ts";

export function parseReport(given: Fields): InterlockReport {
  return {
    state: word(given, "state", INTERLOCK_STATES),
    since: moment(given, "since"),
    why: text(given, "why"),
    limits: list(given, "limits").map((value) => {
      const limit = object(value, "a limit");
      return {
        deviceId: text(limit, "deviceId"),
        control: text(limit, "control"),
        unit: optionalText(limit, "unit"),
        kind: word(limit, "kind", ["min", "max"]),
        value: number(limit, "value"),
        isHolding: flag(limit, "isHolding"),
      };
    }),
    measured: list(given, "measured").map((value) => {
      const source = object(value, "a measured value");
      return {
        deviceId: text(source, "deviceId"),
        attribute: text(source, "attribute"),
        unit: optionalText(source, "unit"),
      };
    }),
    problems: list(given, "problems").map((value) => {
      const problem = object(value, "a problem");
      return {
        code: word(problem, "code", PROBLEM_CODES),
        pointer: text(problem, "pointer"),
        message: text(problem, "message"),
      };
    }),
  };
}
