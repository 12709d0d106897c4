import { expect, test } from "vitest";
import { type Entry, search } from "./search.ts";

const entry = (kind: Entry["kind"], title: string, detail = "", words = ""): Entry => ({
  kind,
  title,
  detail,
  words,
  href: `/${title}`,
});
const ENTRIES = [
  entry("device", "Battery rack A", "Battery systems", "battery-rack-a"),
  entry("device", "Roof inverter", "Solar generators", "roof-inverter"),
  entry("command", "Set mode", "Battery rack A", "set_mode"),
  entry("command", "Stop", "Roof inverter", "stop"),
  entry("screen", "Übersicht"),
  entry("help", "Battery help"),
];
const titles = (text: string) => search(ENTRIES, text).map(({ title }) => title);

test.each([
  ["batt", ["Battery rack A", "Battery help", "Set mode"]],
  ["rack", ["Battery rack A", "Set mode"]],
  ["roof stop", ["Stop"]],
  [">", ["Set mode", "Stop"]],
  ["> bat", ["Set mode"]],
  ["ubersicht", ["Übersicht"]],
  ["set_mode", ["Set mode"]],
  ["nothing like it", []],
])("%j finds %j", (text, expected) => {
  expect(titles(text)).toEqual(expected);
});

test("without a text everything is offered, devices first", () => {
  expect(titles("")).toEqual(["Battery rack A", "Roof inverter", "Set mode", "Stop", "Übersicht", "Battery help"]);
});
