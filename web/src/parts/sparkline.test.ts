import { expect, test } from "vitest";
import { drawSparkline } from "./sparkline.ts";

const frame = { from: 0, to: 100, width: 100, height: 24 };
const points = (text: string) =>
  text.split(" ").map((pair) => {
    const [at, value] = pair.split("=");
    return { at: Number(at), value: value === "?" ? undefined : Number(value) };
  });

test("a line goes from point to point, and the area lies on zero", () => {
  expect(drawSparkline(points("0=0 50=10 100=10"), frame, 60)).toEqual({
    line: "M0 22L50 2L100 2",
    area: "M0 22L0 22L50 2L100 2L100 22L0 22Z",
  });
});

test("a gap stays a gap, and so does an unknown value", () => {
  expect(drawSparkline(points("0=10 10=10 50=? 90=10 100=10"), frame, 20).line).toBe("M0 2L10 2M90 2L100 2");
});

test("values of both signs lie around zero", () => {
  expect(drawSparkline(points("0=-10 100=10"), frame, 200)).toEqual({
    line: "M0 22L100 2",
    area: "M0 12L0 22L100 2L100 12L0 12Z",
  });
});

test("without values there is nothing to draw", () => {
  expect(drawSparkline(points("0=?"), frame, 20)).toEqual({ line: "", area: "" });
});
