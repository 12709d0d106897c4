// The language of register maps: keys, what each takes, and what it means.
import { REGISTER_KINDS } from "#core/modbus/modbus-map.ts";
import { REGISTER_TYPES, WORD_ORDERS } from "#core/modbus/register-value.ts";
import {
  duration,
  type Fields,
  integer,
  may,
  number,
  oneOf,
  type Reader,
  type ReadFields,
  text,
  wrong,
} from "#manifest/scenario/reader.ts";
import { byForm, listOf, object, oneOrMore, textRecord } from "#manifest/scenario/reader-shapes.ts";

const POINT_TYPES = [...REGISTER_TYPES, "bool"] as const;

const scalar: Reader<string | number | boolean> = {
  schema: { type: ["string", "number", "boolean"] },
  read: (context, trail) => {
    const { node } = trail;
    if (node.kind === "scalar" && node.value !== null) return node.value;
    return wrong(context, trail, "a text, a number, true or false");
  },
};

const SETTING_PATTERN = /^\$\{[A-Za-z_]\w*\.[A-Za-z_]\w*\}$/;

/** A number, or `${bucket.parameter}`. */
const unitOrSetting: Reader<number | string> = byForm<number | string>({
  scalar: {
    schema: { type: ["integer", "string"] },
    read: (context, trail) => {
      const { node } = trail;
      if (node.kind === "scalar" && typeof node.value === "string" && SETTING_PATTERN.test(node.value))
        return node.value;
      return integer(0, 255).read(context, trail);
    },
  },
  wanted: `a whole number from 0 to 255, or a setting such as \${connection.unit_id}`,
});

/** What a map says for all its registers, a group for its own, and a register for itself. */
const ORDER_FIELDS = {
  kind: may(oneOf(REGISTER_KINDS), "holding (default), input, coil or discrete."),
  word_order: may(oneOf(WORD_ORDERS), "Order of the registers of a value: big (default) has the highest bits first."),
  byte_order: may(oneOf(WORD_ORDERS), "Order of the bytes of a register: big by default."),
} satisfies Fields;

const PLACE_FIELDS = {
  ...ORDER_FIELDS,
  address: may(integer(0, 65_535), "The register, counted from 0, as it is sent."),
  sunspec: may(oneOrMore(text), "A point of a SunSpec model, such as 103.W; of several, the first that is there."),
  unit: may(integer(0, 255), "The unit id. Default: that of the group or the map."),
  type: may(oneOf(POINT_TYPES), "How the value lies in its registers. Default: uint16, for bits bool."),
  count: may(integer(1, 125), "Registers of a string."),
  scale: may(number, "What one step is worth: 0.1 where the register holds tenths. Default: 1."),
  offset: may(number, "Is added after the scale. Default: 0."),
  enum: may(textRecord("number", scalar), "What each number means: {0: idle, 1: running}."),
} satisfies Fields;

const POINT_FIELDS = {
  ...PLACE_FIELDS,
  bit: may(integer(0, 31), "Only this bit counts, as true or false; bit 0 is the lowest."),
  bits: may(listOf(integer(0, 31), "a list of the lowest and the highest bit"), "Only these bits count: [4, 7]."),
  not_a_value: may(oneOrMore(number), "Numbers in the register that mean that there is no value, such as 0x8000."),
  group: may(text, "The group that it is read with. Default: the settings of the map itself."),
} satisfies Fields;

const WRITE_FIELDS = {
  ...PLACE_FIELDS,
  value: may(scalar, "What is written, where it is always the same."),
} satisfies Fields;

const write = object("register", WRITE_FIELDS);
const GROUP_FIELDS = {
  ...ORDER_FIELDS,
  interval: may(duration, "How often the group is read."),
  unit: may(integer(0, 255), "The unit id of its registers."),
} satisfies Fields;

const COMMAND_FIELDS = {
  arguments: may(textRecord("argument", write), "The register of each argument."),
  values: may(textRecord("name", write), "Fixed values that are written after the arguments, by names of your choice."),
} satisfies Fields;

const points = textRecord("name", object("register", POINT_FIELDS));

const MAP_FIELDS = {
  ...ORDER_FIELDS,
  connection: may(text, `tcp://HOST:PORT or port://NAME; \${bucket.parameter} stands for a setting of the device.`),
  unit: may(unitOrSetting, "The unit id. Default: 1."),
  interval: may(duration, "How often registers are read that belong to no group. Default: 1s."),
  timeout: may(duration, "How long an answer may take. Default: 1s."),
  max_gap: may(integer(0, 124), "How many registers that nobody wants may be read along. Default: 16."),
  groups: may(textRecord("group", object("group", GROUP_FIELDS)), "Registers with an interval or a unit of their own."),
  telemetry: may(points, "The register of each telemetry attribute."),
  properties: may(points, "The register of each property."),
  alerts: may(points, "The bit or number of each alert; it is active while that is not 0."),
  commands: may(textRecord("command", object("command", COMMAND_FIELDS)), "What each command writes."),
} satisfies Fields;

export const mapDocument = object("register map", MAP_FIELDS);

export type GivenMap = ReadFields<typeof MAP_FIELDS>;
export type GivenGroup = ReadFields<typeof GROUP_FIELDS>;
export type GivenPoint = ReadFields<typeof POINT_FIELDS>;
export type GivenWrite = ReadFields<typeof WRITE_FIELDS>;
