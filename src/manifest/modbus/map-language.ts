// The language of register maps: keys, what each takes, and what it means.
import { REGISTER_KINDS } from "#core/modbus/modbus-map.ts";
import { REGISTER_TYPES, WORD_ORDERS } from "#core/modbus/register-value.ts";
import * as r from "#manifest/reader.ts";

const POINT_TYPES = [...REGISTER_TYPES, "bool"] as const;

const scalar = r.scalar({ type: ["string", "number", "boolean"] }, "a text, a number, true or false", ({ value }) =>
  value === null ? undefined : value,
);

const SETTING_PATTERN = /^\$\{[A-Za-z_]\w*\.[A-Za-z_]\w*\}$/;

/** A number, or `${bucket.parameter}`. */
const unitOrSetting = r.scalar(
  { type: ["integer", "string"] },
  `a whole number from 0 to 255, or a setting such as \${connection.unit_id}`,
  ({ value }) => {
    if (typeof value === "string") return SETTING_PATTERN.test(value) ? value : undefined;
    return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255 ? value : undefined;
  },
);

/** What a map says for all its registers, a group for its own, and a register for itself. */
const ORDER_FIELDS = {
  kind: r.may(r.oneOf(REGISTER_KINDS), "holding (default), input, coil or discrete."),
  word_order: r.may(
    r.oneOf(WORD_ORDERS),
    "Order of the registers of a value: big (default) has the highest bits first.",
  ),
  byte_order: r.may(r.oneOf(WORD_ORDERS), "Order of the bytes of a register: big by default."),
} satisfies r.Fields;

const PLACE_FIELDS = {
  ...ORDER_FIELDS,
  address: r.may(r.integer(0, 65_535), "The register, counted from 0, as it is sent."),
  sunspec: r.may(
    r.oneOrMore(r.text),
    "A point of a SunSpec model, such as 103.W; of several, the first that is there.",
  ),
  unit: r.may(r.integer(0, 255), "The unit id. Default: that of the group or the map."),
  type: r.may(r.oneOf(POINT_TYPES), "How the value lies in its registers. Default: uint16, for bits bool."),
  count: r.may(r.integer(1, 125), "Registers of a string."),
  scale: r.may(r.number, "What one step is worth: 0.1 where the register holds tenths. Default: 1."),
  offset: r.may(r.number, "Is added after the scale. Default: 0."),
  enum: r.may(r.record(r.anyKey("number"), scalar), "What each number means: {0: idle, 1: running}."),
} satisfies r.Fields;

const POINT_FIELDS = {
  ...PLACE_FIELDS,
  bit: r.may(r.integer(0, 31), "Only this bit counts, as true or false; bit 0 is the lowest."),
  bits: r.may(r.listOf(r.integer(0, 31), "a list of the lowest and the highest bit"), "Only these bits count: [4, 7]."),
  not_a_value: r.may(
    r.oneOrMore(r.number),
    "Numbers in the register that mean that there is no value, such as 0x8000.",
  ),
  group: r.may(r.text, "The group that it is read with. Default: the settings of the map itself."),
} satisfies r.Fields;

const WRITE_FIELDS = {
  ...PLACE_FIELDS,
  value: r.may(scalar, "What is written, where it is always the same."),
} satisfies r.Fields;

const write = r.object("register", WRITE_FIELDS);
const GROUP_FIELDS = {
  ...ORDER_FIELDS,
  interval: r.may(r.duration, "How often the group is read."),
  unit: r.may(r.integer(0, 255), "The unit id of its registers."),
} satisfies r.Fields;

const COMMAND_FIELDS = {
  arguments: r.may(r.record(r.anyKey("argument"), write), "The register of each argument."),
  values: r.may(
    r.record(r.anyKey("name"), write),
    "Fixed values that are written after the arguments, by names of your choice.",
  ),
} satisfies r.Fields;

const points = r.record(r.anyKey("name"), r.object("register", POINT_FIELDS));

const MAP_FIELDS = {
  ...ORDER_FIELDS,
  connection: r.may(r.text, `tcp://HOST:PORT or port://NAME; \${bucket.parameter} stands for a setting of the device.`),
  unit: r.may(unitOrSetting, "The unit id. Default: 1."),
  interval: r.may(r.duration, "How often registers are read that belong to no group. Default: 1s."),
  timeout: r.may(r.duration, "How long an answer may take. Default: 1s."),
  max_gap: r.may(r.integer(0, 124), "How many registers that nobody wants may be read along. Default: 16."),
  groups: r.may(
    r.record(r.anyKey("group"), r.object("group", GROUP_FIELDS)),
    "Registers with an interval or a unit of their own.",
  ),
  telemetry: r.may(points, "The register of each telemetry attribute."),
  properties: r.may(points, "The register of each property."),
  alerts: r.may(points, "The bit or number of each alert; it is active while that is not 0."),
  commands: r.may(r.record(r.anyKey("command"), r.object("command", COMMAND_FIELDS)), "What each command writes."),
} satisfies r.Fields;

export const mapDocument = r.object("register map", MAP_FIELDS);

export type GivenMap = r.ReadFields<typeof MAP_FIELDS>;
export type GivenGroup = r.ReadFields<typeof GROUP_FIELDS>;
export type GivenPoint = r.ReadFields<typeof POINT_FIELDS>;
export type GivenWrite = r.ReadFields<typeof WRITE_FIELDS>;
