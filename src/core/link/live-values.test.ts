import { expect, test } from "vitest";
import { LiveValues, MOST_KNOWN_BYTES } from "./live-values.ts";

test("of a device 32 forms are remembered, and further ones cost nothing", () => {
  const known = new LiveValues();
  const device = known.addDevice("d");
  for (let n = 0; n < 32; n++) known.addForm(device, [n]);
  const { bytes } = known;
  expect(device.forms).toHaveLength(32);
  known.addForm(device, [32]);
  expect([device.forms.length, known.bytes]).toEqual([32, bytes]);
});

test("texts of up to 64 characters are remembered, 4,096 of them", () => {
  const known = new LiveValues();
  expect([known.isKept("x".repeat(64)), known.isKept("x".repeat(65))]).toEqual([true, false]);
  for (let n = 0; n < 4_095; n++) known.addText("x");
  expect(known.isKept("x")).toBe(true);
  known.addText("x");
  expect(known.isKept("x")).toBe(false);
});

test("a text that takes the place of another one costs no more than it", () => {
  const known = new LiveValues();
  const device = known.addDevice("d");
  known.addSeries(device, "note");
  const [series] = device.series;
  if (series === undefined) throw new Error("there is no series");
  known.setText(series, "1234");
  const { bytes } = known;
  known.setText(series, "abcd");
  expect(known.bytes).toBe(bytes);
  known.setText(series, "");
  expect(known.bytes).toBe(bytes - 8);
});

test("both sides count alike, whatever their versions are: another count is another protocol", () => {
  const known = new LiveValues();
  const counts = [MOST_KNOWN_BYTES];
  const count = () => counts.push(known.bytes);
  const device = known.addDevice("device");
  count();
  known.addSeries(device, "power");
  count();
  known.addForm(device, [0, 1, 2]);
  count();
  known.addText("running");
  count();
  expect(counts).toEqual([4_194_304, 206, 286, 342, 388]);
});
