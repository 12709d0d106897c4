import { expect, test } from "vitest";
import { DEVICE_FIELDS } from "#core/device/device.ts";
import { deviceChangeSchema, deviceSchema } from "#service/device/device-wire.ts";

const columns = (fields: typeof DEVICE_FIELDS) => fields.map(([, { column }]) => column);

test("every field of a device is in the interface", () => {
  expect(Object.keys(deviceSchema.properties ?? {})).toEqual(expect.arrayContaining(columns(DEVICE_FIELDS)));
});

test("people can change every field that changes, the blueprint by an operation of its own", () => {
  const changing = columns(DEVICE_FIELDS.filter(([name, { canChange }]) => canChange && name !== "blueprintId"));
  expect(Object.keys(deviceChangeSchema.properties ?? {}).sort()).toEqual(changing.sort());
});
