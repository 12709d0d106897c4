import { describe, expect, test } from "vitest";
import { encodeRegisters } from "#core/modbus/register-value.ts";
import { decodeModel, decodePoint, pointLayout } from "./decode-model.ts";
import { MODEL_TABLES } from "./model-tables.ts";
import { findModelPoint, modelPointNames, type SunSpecModel, sunSpecModel } from "./parse-model.ts";

function known(id: number): SunSpecModel {
  const model = sunSpecModel(id);
  if (model === undefined) throw new Error(`there is no model ${id}`);
  return model;
}

/** Registers of a model in which nothing is implemented, besides what is given as raw numbers. */
function registersOf(id: number, given: Readonly<Record<string, number | string>>, groups = 0): readonly number[] {
  const model = known(id);
  const registers = new Array<number>(model.count + groups * (model.group?.count ?? 0)).fill(0xffff);
  for (const { type, offset } of model.points) if (type === "int16" || type === "sunssf") registers[offset] = 0x8000;
  for (const [name, value] of Object.entries(given)) {
    const found = findModelPoint(model, name);
    if (found === undefined) throw new Error(`there is no point ${name}`);
    registers.splice(found.offset, found.point.count, ...encodeRegisters(pointLayout(found.point), value));
  }
  return registers;
}

// The lengths that the SunSpec Alliance gives for each model.
test.each([
  [1, 66],
  [101, 50],
  [102, 50],
  [103, 50],
  [111, 60],
  [112, 60],
  [113, 60],
  [120, 26],
  [121, 30],
  [122, 44],
  [123, 24],
  [124, 24],
  [160, 8],
  [201, 105],
  [202, 105],
  [203, 105],
  [204, 105],
  [714, 18],
  [802, 62],
])("model %i has %i registers", (id, count) => {
  expect(known(id).count).toBe(count);
});

test("the repeated groups have their lengths", () => {
  expect(known(160).group?.count).toBe(20);
  expect(known(714).group?.count).toBe(25);
});

test("each scale factor that a point names exists, and no name is given twice", () => {
  for (const id of MODEL_TABLES.keys()) {
    const model = known(id);
    const names = model.points.map(({ name }) => name);
    expect(new Set(names).size, `model ${id}`).toBe(names.length);
    for (const { scaleFactor } of [...model.points, ...(model.group?.points ?? [])])
      if (scaleFactor !== undefined) expect(names, `model ${id}`).toContain(scaleFactor);
  }
});

describe("decoding", () => {
  test("scale factors are applied, and what is not implemented is absent", () => {
    const registers = registersOf(103, { W: -1234, W_SF: 1, Hz: 4998, Hz_SF: -2, WH: 0, WH_SF: 0, St: 4, Evt1: 5 });
    expect(Object.fromEntries(decodeModel(known(103), registers).values)).toEqual({
      W: -12_340,
      Hz: 49.98,
      St: 4,
      Evt1: 5,
    });
  });

  test("a value whose scale factor is not implemented is absent", () => {
    const registers = registersOf(103, { W: 5, W_SF: -32_768 });
    expect(decodePoint(known(103), "W", registers)).toBeUndefined();
  });

  test("texts end at their zeros", () => {
    const registers = registersOf(1, { Mn: "Solarwerk", Md: "", SN: "4711" });
    const { values } = decodeModel(
      known(1),
      registers.map((one) => (one === 0xffff ? 0 : one)),
    );
    expect(Object.fromEntries(values)).toMatchObject({ Mn: "Solarwerk", SN: "4711" });
    expect(values.has("Md")).toBe(false);
  });

  test("a repeated group has as many items as the model is long", () => {
    const given = { DCW_SF: 0, N: 2, "module[1].DCW": 100, "module[2].DCW": 200 };
    const { group } = decodeModel(known(160), registersOf(160, given, 2));
    expect(group?.items.map((item) => item.get("DCW"))).toEqual([100, 200]);
  });

  test("a model that is shorter than known has fewer values", () => {
    const registers = registersOf(1, { Mn: "A" }).slice(0, 20);
    expect([...decodeModel(known(1), registers).values.keys()]).not.toContain("SN");
  });

  test("floats that are not numbers are absent", () => {
    expect([...decodeModel(known(113), registersOf(113, { W: 51.2 })).values]).toEqual([["W", 51.2]]);
  });
});

test("points of a group are named with their index, from 1 on", () => {
  expect(modelPointNames(known(160))).toContain("module[1].DCW");
  expect(findModelPoint(known(160), "module[3].DCW")?.offset).toBe(8 + 2 * 20 + 11);
  expect(findModelPoint(known(160), "module[0].DCW")).toBeUndefined();
  expect(findModelPoint(known(160), "other[1].DCW")).toBeUndefined();
});
