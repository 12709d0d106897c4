import { expect, test } from "vitest";
import { parseLog, parseResponse, parseValues, renderCommand, renderConfiguration } from "./messages.ts";

const bytes = (text: string) => Buffer.from(text);
/** A message as JSON, or its problems as one text. */
const shown = (parsed: ReturnType<typeof parseValues | typeof parseLog | typeof parseResponse>): string =>
  "message" in parsed
    ? JSON.stringify(parsed.message, (_name, value: unknown) => {
        if (value instanceof Map) return [...value.entries()].map(([name, one]) => `${name}=${String(one)}`).join(" ");
        return value;
      })
    : parsed.problems.join("; ");

test.each([
  ['{"a":1}', '{"values":"a=1"}'],
  ["{}", '{"values":""}'],
  [' \n{"a":1}\t', '{"values":"a=1"}'],
  ['{"timestamp":1700000000,"a":1}', '{"takenAt":1700000000000,"values":"a=1"}'],
  ['{"timestamp":1700000000.123,"a":1}', '{"takenAt":1700000000123,"values":"a=1"}'],
  ['{"timestamp":1700000000.123456,"a":1}', '{"takenAt":1700000000123.456,"values":"a=1"}'],
  ['{"timestamp":0}', '{"takenAt":0,"values":""}'],
  ['{"timestamp":null,"a":1}', '{"values":"a=1"}'],
  ['{"timestamp":95617584000}', '{"takenAt":95617584000000,"values":""}'],
  ['{"timestamp":95617584001}', "timestamp must be Unix seconds; 95617584001 looks like milliseconds"],
  ['{"timestamp":-1}', "timestamp must not be before 1970, it is -1"],
  ['{"timestamp":"1700000000"}', 'timestamp must be Unix seconds, not "1700000000"'],
  ['{"timestamp":NaN}', 'timestamp must be Unix seconds, not "NaN"'],
  ['{"timestamp":1e999}', 'timestamp must be Unix seconds, not "Infinity"'],
  ['{"timestamp":{}}', "timestamp must be Unix seconds, not an object"],
  ['{"a":1,"a":2}', '{"values":"a=2"}'],
  ['{"__proto__":1,"constructor":2,"":3}', '{"values":"__proto__=1 constructor=2 =3"}'],
  [
    '{"a":NaN,"b":[Infinity,-Infinity],"c":"NaN \\" Infinity"}',
    '{"values":"a=NaN b=Infinity,-Infinity c=NaN \\" Infinity"}',
  ],
  ["", "is empty"],
  ["  ", "is empty"],
  ["null", "is not a JSON object"],
  ["[]", "is not a JSON object"],
  ['"{}"', "is not a JSON object"],
  ["NaN", "is not a JSON object"],
  ['{"a":1', "is not JSON: Expected ',' or '}' after property value at position 6"],
  ['{"a":NaNx}', "is not JSON"],
  ["{'a':1}", "is not JSON: Expected property name or '}' at position 1"],
  ['{"a":1]', "is not JSON: Expected ',' or '}' after property value at position 6"],
  ['{"a"', "is not JSON: Expected ':' after property name at position 4"],
  ['{"a":', "is not JSON: it ends too early"],
  ['{"a":secret}', "is not JSON: unexpected character"],
])("values %s are read as %s", (text, expected) => {
  expect(shown(parseValues(bytes(text)))).toContain(expected);
});

test("what is wrong with a message never repeats the message, which may hold a secret", () => {
  const found = parseValues(bytes('{"password":"hunter2" oops'));
  expect(shown(found)).toMatch(/^is not JSON/);
  expect(shown(found)).not.toContain("hunter2");
});

test.each([
  [32, "values"],
  [33, "is nested more than 32 levels deep"],
])("%i levels are answered with %s", (levels, expected) => {
  const nested = `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  expect(shown(parseValues(bytes(nested)))).toContain(expected);
});

test("brackets inside text are not levels", () => {
  expect(shown(parseValues(bytes(`{"a":"${"[".repeat(100)}\\"${"{".repeat(100)}"}`)))).toContain("values");
});

test("a quarter of a mebibyte of opening brackets is refused without recursion", () => {
  expect(shown(parseValues(bytes("[".repeat(256 * 1024))))).toContain("is nested more than 32 levels deep");
});

test("more than 5000 values are refused", () => {
  const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`a${index}`, 1]));
  expect(shown(parseValues(bytes(JSON.stringify(many))))).toBe("has 5001 values, more than 5000");
});

test("bytes that are no UTF-8 are refused", () => {
  expect(shown(parseValues(Buffer.from([0x7b, 0xc3, 0x28, 0x7d])))).toBe("is not UTF-8 text");
});

test.each([
  ['{"message":"m"}', '{"severity":"info","text":"m","persist":false}'],
  ['{"message":"","severity":"ERROR","persist":true}', '{"severity":"error","text":"","persist":true}'],
  ['{"message":"m","severity":"Warn"}', '{"severity":"warning","text":"m","persist":false}'],
  ['{"message":"m","severity":null,"persist":null}', '{"severity":"info","text":"m","persist":false}'],
  [
    '{"timestamp":1.5,"message":"m","severity":"debug"}',
    '{"takenAt":1500,"severity":"debug","text":"m","persist":false}',
  ],
  ["{}", "message must be text, not missing"],
  [
    '{"timestamp":"x","message":[],"severity":"loud","persist":1}',
    'timestamp must be Unix seconds, not "x"; message must be text, not a list; persist must be true or false, not a number; severity must be debug, info, warning, error, not "loud"',
  ],
])("the log message %s is read as %s", (text, expected) => {
  expect(shown(parseLog(bytes(text)))).toBe(expected);
});

test.each([
  ["log", "IN_PROGRESS"],
  ["completed", "SUCCEEDED"],
  ["error", "ERROR"],
  ["STARTED", "STARTED"],
  ["started", "STARTED"],
  ["In_Progress", "IN_PROGRESS"],
  ["succeeded", "SUCCEEDED"],
  ["ERROR", "ERROR"],
  ["Log", "IN_PROGRESS"],
])("a response in state %s is %s", (state, expected) => {
  const found = parseResponse(bytes(`{"id":"e1","state":"${state}"}`), false);
  expect(shown(found)).toBe(`{"executionId":"e1","state":"${expected}","repeated":false}`);
});

test.each([
  [
    '{"id":"e1","state":"log","payload":{"a":1}}',
    '{"executionId":"e1","state":"IN_PROGRESS","payload":{"a":1},"repeated":true}',
  ],
  ['{"id":"e1","state":"log","payload":null}', '{"executionId":"e1","state":"IN_PROGRESS","repeated":true}'],
  [
    '{"id":"e1","state":"completed","payload":[1]}',
    '{"executionId":"e1","state":"SUCCEEDED","payload":{"result":[1]},"repeated":true}',
  ],
  [
    '{"id":"e1","state":"error","payload":"jammed"}',
    '{"executionId":"e1","state":"ERROR","payload":{"message":"jammed"},"repeated":true}',
  ],
  [
    '{"id":7,"state":"SUCCESS","payload":"ok"}',
    'id must be the id of the request, not "7"; state must be log, completed or error, not "SUCCESS"',
  ],
  ['{"state":"log"}', "id must be the id of the request, not missing"],
  ['{"id":"","state":"log"}', 'id must be the id of the request, not ""'],
  ['{"id":"e1","state":"constructor"}', 'state must be log, completed or error, not "constructor"'],
  ['{"id":"e1"}', "state must be log, completed or error, not missing"],
])("the response %s is read as %s", (text, expected) => {
  expect(shown(parseResponse(bytes(text), true))).toBe(expected);
});

test("a command and a configuration are written as devices read them", () => {
  expect(renderCommand({ id: "e1", name: "start", arguments: { power: 1 } })).toBe(
    '{"id":"e1","name":"start","arguments":{"power":1}}',
  );
  const configuration = new Map([
    ["__proto__", { a: 1 }],
    ["network", { host: "h" }],
  ]);
  expect(renderConfiguration(configuration)).toBe('{"__proto__":{"a":1},"network":{"host":"h"}}');
});
