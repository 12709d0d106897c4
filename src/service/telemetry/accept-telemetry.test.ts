import { expect, test } from "vitest";
import { MAX_ALERT_ID_LENGTH, MAX_LISTED_ALERTS } from "#core/alert/alert-limits.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { acceptTelemetry } from "./accept-telemetry.ts";
import { attributesOf } from "./attributes.ts";

/** `power:float bms=cells:alerts` declares power, and bms with the alias cells. */
function attributes(text: string) {
  const telemetry = text.split(" ").map((part) => {
    const [names = "", type = ""] = part.split(":");
    const [id = "", ...aliases] = names.split("=");
    return [id, { id, type, enum: undefined, aliases, accessLevel: "readonly" }] as const;
  });
  return attributesOf({ telemetry: new Map(telemetry) } as unknown as Blueprint);
}

/** What was accepted, which sources list what, and what was refused. */
function accept(declared: string, message: object): readonly [string, string, string] {
  const given = new Map(Object.entries(message));
  const { accepted, alerts, refused } = acceptTelemetry(
    declared === "" ? attributesOf(undefined) : attributes(declared),
    given,
  );
  const lists = [...alerts].map(([attribute, ids]) => `${attribute.id}=${ids.join(",")}`);
  return [[...accepted.keys()].join(" "), lists.join(" "), [...refused.keys()].join(" ")];
}

test.each<[string, string, object, readonly [string, string, string]]>([
  ["alerts need no declaration", "power:float", { power: 1, alerts: ["a", "b"] }, ["power alerts", "alerts=a,b", ""]],
  ["nor a blueprint", "", { power: 1, alerts: ["a"] }, ["alerts", "alerts=a", "power"]],
  ["an empty list says that none is active", "power:float", { alerts: [] }, ["alerts", "alerts=", ""]],
  ["null says nothing", "power:float", { alerts: null, power: 2 }, ["power", "", ""]],
  ["an attribute of type alerts is a source", "bms:alerts", { bms: ["a"] }, ["bms", "bms=a", ""]],
  ["under its alias too", "bms=cells:alerts", { cells: ["a"] }, ["bms", "bms=a", ""]],
  ["several sources list apart", "bms:alerts", { bms: ["a"], alerts: [] }, ["bms alerts", "bms=a alerts=", ""]],
  ["a list of texts is no source", "notes:array_of_strings", { notes: ["a"] }, ["notes", "", ""]],
  ["but under the name alerts it is", "alerts:array_of_strings", { alerts: ["a"] }, ["alerts", "alerts=a", ""]],
  ["alerts declared as something else is that", "alerts:integer", { alerts: 3 }, ["alerts", "", ""]],
  ["a text is no list", "power:float", { alerts: "a", power: 1 }, ["power", "", "alerts"]],
  ["nor is a list with a number", "power:float", { alerts: ["a", 1] }, ["", "", "alerts"]],
  ["an empty id is no id", "power:float", { alerts: [""] }, ["", "", "alerts"]],
  ["an endless id is no id", "power:float", { alerts: ["x".repeat(MAX_ALERT_ID_LENGTH + 1)] }, ["", "", "alerts"]],
  ["an endless list is refused", "power:float", { alerts: Array(MAX_LISTED_ALERTS + 1).fill("a") }, ["", "", "alerts"]],
])("%s", (_title, declared, message, expected) => {
  expect(accept(declared, message)).toEqual(expected);
});
